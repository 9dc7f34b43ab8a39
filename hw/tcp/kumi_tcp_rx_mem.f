-F kumi_tcp_rx_write.f
-F kumi_tcp_rx_state.f
-F kumi_tcp_rx_read.f
-F kumi_tcp_notes.f
-F ../stream/kumi_fifo.f
-F ../mem/kumi_axi_join.f
kumi_tcp_mem_pkg.sv
kumi_tcp_rx_mem.sv
