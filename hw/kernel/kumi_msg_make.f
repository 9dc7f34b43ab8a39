-F kumi_msg.f
kumi_msg_make.sv
