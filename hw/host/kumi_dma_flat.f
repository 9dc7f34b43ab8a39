-F kumi_dma.f
kumi_dma_flat.sv
