-F ../../../hw/tcp/kumi_tcp_core.f
kumi_t_tcp_core.sv
