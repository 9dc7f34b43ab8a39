-F kumi_state_ram.f
kumi_state_mem.sv
