-F kumi_msg.f
-F ../regs/generated/kumi_eth_check_regs.f
kumi_msg_check.sv
