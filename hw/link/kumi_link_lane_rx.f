-F ../line/kumi_descrambler.f
-F ../line/kumi_block_lock.f
kumi_link_pkg.sv
kumi_link_lane_rx.sv
