-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
../mem/kumi_axi_if.sv
-F ../mem/kumi_ring_read.f
-F kumi_tcp_latest.f
kumi_tcp_pkg.sv
kumi_tcp_rx_read.sv
