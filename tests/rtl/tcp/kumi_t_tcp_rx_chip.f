-F ../../../hw/tcp/kumi_tcp_rx_mem.f
-F ../../../hw/mem/kumi_axi_ram.f
kumi_t_tcp_rx_chip.sv
