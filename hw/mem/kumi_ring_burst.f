-F ../stream/kumi_slice.f
kumi_ring_burst.sv
