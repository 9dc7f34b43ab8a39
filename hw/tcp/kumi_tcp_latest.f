-F ../stream/kumi_fifo.f
-F ../stream/kumi_slice.f
-F ../mem/kumi_state_mem.f
kumi_tcp_pkg.sv
kumi_tcp_latest.sv
