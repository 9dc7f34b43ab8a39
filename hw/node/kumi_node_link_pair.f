-F ../link/kumi_serial_link.f
kumi_node_link_pair.sv
