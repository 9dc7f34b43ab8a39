-F kumi_node_shell.f
-F ../kernel/kumi_traffic_gen.f
-F ../kernel/kumi_traffic_check.f
kumi_node_traffic.sv
