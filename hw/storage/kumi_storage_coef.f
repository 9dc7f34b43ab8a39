-F ../stream/kumi_slice.f
../stream/kumi_hdr_if.sv
kumi_storage_pkg.sv
-F kumi_gf_inv.f
kumi_storage_coef.sv
