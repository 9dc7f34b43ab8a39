-F ../stream/kumi_fifo.f
kumi_mem_retire.sv
