-F kumi_link_board.f
kumi_node_link.sv
