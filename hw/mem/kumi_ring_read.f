-F ../stream/kumi_fifo.f
-F kumi_ring_burst.f
-F kumi_mem_shift.f
kumi_ring_read.sv
