-F ../../../hw/tcp/kumi_tcp_tx_mem.f
-F ../../../hw/mem/kumi_ring_read.f
-F ../../../hw/mem/kumi_axi_ram.f
kumi_t_tcp_tx_chip.sv
