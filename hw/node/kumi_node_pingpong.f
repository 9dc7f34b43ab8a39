-F kumi_node_shell.f
-F ../kernel/kumi_udp_split.f
-F ../kernel/kumi_udp_join.f
-F ../kernel/kumi_pingpong.f
-F ../kernel/kumi_udp_echo.f
kumi_node_pingpong.sv
