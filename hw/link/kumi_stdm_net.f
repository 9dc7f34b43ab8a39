-F kumi_stdm.f
kumi_stdm_net_cmd.sv
kumi_stdm_net_word.sv
kumi_stdm_net_best.sv
kumi_stdm_net.sv
