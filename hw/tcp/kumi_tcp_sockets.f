-F kumi_tcp_app.f
-F ../stream/kumi_axis_fifo.f
-F ../stream/kumi_keep_count.f
-F ../stream/kumi_arbiter.f
kumi_tcp_sockets_rx.sv
kumi_tcp_sockets_tx.sv
kumi_tcp_sockets.sv
