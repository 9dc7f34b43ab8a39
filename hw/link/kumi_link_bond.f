kumi_link_pkg.sv
kumi_link_bond.sv
