-F kumi_link_if.f
kumi_link_skip.sv
