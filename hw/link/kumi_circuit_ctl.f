../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_circuit_regs.f
../regs/kumi_event_counters.sv
kumi_circuit_pkg.sv
kumi_circuit_ctl.sv
