-F kumi_node_eth_shell.f
-F ../eth/kumi_eth_controller.f
../regs/kumi_axil_none.sv
kumi_node_eth_channels.sv
