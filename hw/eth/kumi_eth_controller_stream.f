-F kumi_eth_controller.f
-F kumi_eth_ctl_peers.f
-F ../stream/kumi_axis_frame_fifo.f
kumi_eth_controller_stream.sv
