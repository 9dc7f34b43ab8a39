kumi_state_ram.sv
