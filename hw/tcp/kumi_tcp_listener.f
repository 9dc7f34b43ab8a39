-F ../stream/kumi_stream.f
kumi_tcp_pkg.sv
kumi_tcp_listener.sv
