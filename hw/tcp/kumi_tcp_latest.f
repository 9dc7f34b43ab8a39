-F ../stream/kumi_fifo.f
-F ../stream/kumi_slice.f
kumi_tcp_pkg.sv
kumi_tcp_latest.sv
