kumi_axil_if.sv
kumi_axil_none.sv
