// Register bus of a node.
../regs/kumi_axil_if.sv
../regs/generated/kumi_regs_pkg.sv
-F ../regs/generated/kumi_id_regs.f
../regs/kumi_axil_demux.sv
../regs/kumi_event_counters.sv
kumi_node_id.sv
kumi_node_bus.sv
