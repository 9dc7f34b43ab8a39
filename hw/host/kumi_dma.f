-F kumi_dma_channel.f
-F kumi_dma_read_mux.f
-F kumi_dma_write_mux.f
kumi_dma.sv
