-F ../stream/kumi_stream.f
-F ../stream/kumi_keep_count.f
-F ../stream/kumi_slice.f
../mem/kumi_axi_if.sv
-F ../mem/kumi_ring_write.f
-F ../mem/kumi_mem_retire.f
-F ../mem/kumi_state_ram.f
-F kumi_tcp_tx_jobs.f
kumi_tcp_pkg.sv
kumi_tcp_tx_place.sv
