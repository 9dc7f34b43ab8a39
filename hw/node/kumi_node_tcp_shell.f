// Everything of a node with TCP but its kernels.
-F kumi_node_ip_shell.f
-F ../tcp/kumi_tcp.f
-F ../regs/generated/kumi_tcp_regs.f
kumi_node_tcp.sv
kumi_node_tcp_shell.sv
