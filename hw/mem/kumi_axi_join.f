kumi_axi_if.sv
kumi_axi_join.sv
