// The whole TCP engine.
-F ../stream/kumi_stream.f
../ip/kumi_ip_pkg.sv
-F ../stream/kumi_hdr_fifo.f
-F kumi_tcp_front.f
-F kumi_tcp_tx.f
-F kumi_tcp_rx_mem.f
-F kumi_tcp_tx_mem.f
-F kumi_tcp_core.f
-F kumi_tcp_rings.f
-F kumi_tcp_clock.f
kumi_tcp_ev_pkg.sv
kumi_tcp.sv
