// The collectives node.
-F kumi_node_tcp_shell.f
-F ../kernel/kumi_coll.f
kumi_node_tcp_coll.sv
