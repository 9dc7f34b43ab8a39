../stream/kumi_hdr_if.sv
-F ../stream/kumi_arbiter.f
kumi_array_pkg.sv
kumi_array_ends.sv
