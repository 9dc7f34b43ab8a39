-F kumi_stdm.f
-F kumi_link_lanes.f
kumi_stdm_board.sv
