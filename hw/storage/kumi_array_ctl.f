../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_storage_regs.f
../regs/kumi_event_counters.sv
kumi_array_ctl.sv
