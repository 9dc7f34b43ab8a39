-F kumi_node_eth_shell.f
-F ../kernel/kumi_msg.f
-F ../stream/kumi_hdr_fifo.f
-F ../regs/generated/kumi_eth_tp_regs.f
-F ../eth/kumi_eth_transport_port.f
kumi_node_eth_tp.sv
kumi_node_eth_messages.sv
