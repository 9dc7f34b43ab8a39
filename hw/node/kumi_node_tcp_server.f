// The TCP server node.
-F kumi_node_tcp_shell.f
-F ../tcp/kumi_tcp_share.f
-F ../kernel/kumi_tcp_echo.f
-F ../kernel/kumi_iperf_server.f
-F ../kernel/kumi_http.f
kumi_node_tcp_server.sv
