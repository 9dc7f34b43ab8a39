-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
kumi_tcp_pkg.sv
kumi_tcp_app_pkg.sv
kumi_tcp_work.sv
