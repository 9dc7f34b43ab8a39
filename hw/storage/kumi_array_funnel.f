../stream/kumi_hdr_if.sv
-F ../stream/kumi_arbiter.f
-F ../stream/kumi_slice.f
kumi_array_funnel.sv
