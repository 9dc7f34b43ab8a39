-F kumi_msg.f
kumi_msg_merge.sv
