kumi_fifo_mem.sv
