-F kumi_link_lanes.f
-F kumi_link_frame_tx.f
-F kumi_link_frame_rx.f
kumi_link.sv
