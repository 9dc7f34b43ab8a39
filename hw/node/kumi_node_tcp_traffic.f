// The TCP traffic node.
-F kumi_node_tcp_shell.f
-F ../kernel/kumi_tcp_traffic.f
kumi_node_tcp_traffic.sv
