-F ../../../hw/tcp/kumi_tcp_sockets.f
kumi_t_tcp_sockets.sv
