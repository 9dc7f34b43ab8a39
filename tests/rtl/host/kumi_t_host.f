-F ../../../hw/node/kumi_node_bus.f
-F ../../../hw/host/kumi_dma.f
-F ../../../hw/host/kumi_mmio_fifo.f
kumi_t_host.sv
