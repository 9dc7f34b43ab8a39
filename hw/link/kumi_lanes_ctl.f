kumi_link_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_lanes_regs.f
../regs/kumi_event_counters.sv
kumi_lanes_ctl.sv
