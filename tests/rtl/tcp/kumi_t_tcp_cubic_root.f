-F ../../../hw/stream/kumi_stream.f
-F ../../../hw/tcp/kumi_tcp_cubic_root.f
kumi_t_tcp_cubic_root.sv
