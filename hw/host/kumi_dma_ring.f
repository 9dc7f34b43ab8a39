-F ../stream/kumi_fifo.f
kumi_dma_pkg.sv
kumi_dma_ring.sv
