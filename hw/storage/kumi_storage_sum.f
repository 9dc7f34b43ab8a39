-F ../mem/kumi_state_ram.f
kumi_storage_sum.sv
