-F kumi_stdm_switch.f
-F kumi_stdm_link_port.f
kumi_stdm.sv
