-F kumi_tcp_toe.f
kumi_tcp_toe_flat.sv
