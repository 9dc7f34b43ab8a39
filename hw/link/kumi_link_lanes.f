// Layer 1: lanes
-F ../line/kumi_scrambler.f
-F kumi_link_lane_rx.f
-F kumi_link_bond.f
-F kumi_link_train.f
kumi_link_lanes.sv
