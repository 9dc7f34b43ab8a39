-F kumi_fifo_mem.f
kumi_fifo.sv
