-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
../tcp/kumi_tcp_pkg.sv
-F kumi_tcp_pattern.f
kumi_tcp_gen.sv
