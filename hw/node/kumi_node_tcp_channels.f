// The TCP node whose channels and streams are ports.
-F kumi_node_tcp_shell.f
-F ../tcp/kumi_tcp_share.f
-F ../tcp/kumi_tcp_toe_flat.f
-F ../tcp/kumi_tcp_sockets.f
-F ../regs/kumi_axil_none.f
kumi_node_tcp_channels.sv
