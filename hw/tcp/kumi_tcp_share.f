-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F ../stream/kumi_slice.f
-F ../stream/kumi_arbiter.f
kumi_tcp_pkg.sv
kumi_tcp_share_ports.sv
kumi_tcp_share_note.sv
kumi_tcp_share_read.sv
kumi_tcp_share_write.sv
kumi_tcp_share.sv
