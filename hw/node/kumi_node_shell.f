// Everything of a node but its kernels, which speak UDP.
-F kumi_node_ip_shell.f
kumi_node_shell.sv
