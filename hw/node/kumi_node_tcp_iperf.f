// The TCP node with an iperf server only.
-F kumi_node_tcp_shell.f
-F ../kernel/kumi_iperf_server.f
kumi_node_tcp_iperf.sv
