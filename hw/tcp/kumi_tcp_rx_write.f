-F ../stream/kumi_stream.f
-F ../stream/kumi_keep_count.f
../mem/kumi_axi_if.sv
-F ../mem/kumi_ring_write.f
-F ../mem/kumi_mem_retire.f
kumi_tcp_pkg.sv
kumi_tcp_rx_write.sv
