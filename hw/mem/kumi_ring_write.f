-F kumi_ring_burst.f
-F kumi_mem_shift.f
kumi_ring_write.sv
