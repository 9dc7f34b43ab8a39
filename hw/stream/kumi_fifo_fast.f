kumi_fifo_fast.sv
