+incdir+../include
../stream/kumi_axis_if.sv
../stream/kumi_hdr_if.sv
-F ../mem/kumi_state_ram.f
kumi_storage_pkg.sv
-F kumi_gf_scale.f
-F kumi_storage_sum.f
kumi_storage_parity.sv
