-F kumi_node_shell.f
-F ../ip/kumi_udp_demux.f
-F ../ip/kumi_udp_mux.f
-F ../kernel/kumi_pingpong.f
-F ../kernel/kumi_udp_echo.f
kumi_node_pingpong.sv
