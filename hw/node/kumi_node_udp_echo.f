-F kumi_node_shell.f
-F ../kernel/kumi_udp_echo.f
kumi_node_udp_echo.sv
