kumi_mem_shift.sv
