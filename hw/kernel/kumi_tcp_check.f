-F ../stream/kumi_stream.f
../tcp/kumi_tcp_pkg.sv
-F kumi_tcp_pattern.f
kumi_tcp_check.sv
