// Everything of a node for Ethernet kernels but the kernels.
-F ../stream/kumi_stream.f
-F ../stream/kumi_sync.f
-F kumi_node_bus.f
-F ../regs/generated/kumi_eth_port_regs.f
../regs/kumi_event_counters.sv
kumi_node_eth_cross.sv
kumi_node_eth_port.sv
kumi_node_eth_shell.sv
