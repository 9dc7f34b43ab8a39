kumi_link_if.sv
