-F kumi_msg.f
-F ../eth/kumi_eth_controller.f
-F ../eth/kumi_eth_ctl_peers.f
kumi_msg_controller.sv
