../stream/kumi_hdr_if.sv
-F ../mem/kumi_state_ram.f
kumi_storage_pkg.sv
kumi_storage_slots.sv
