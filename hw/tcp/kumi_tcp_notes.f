-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F ../mem/kumi_state_mem.f
kumi_tcp_pkg.sv
kumi_tcp_notes.sv
