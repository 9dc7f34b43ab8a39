-F kumi_msg_make.f
-F ../regs/generated/kumi_eth_gen_regs.f
kumi_msg_gen.sv
