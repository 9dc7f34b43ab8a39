-F ../stream/kumi_arbiter.f
-F ../stream/kumi_slice.f
-F ../stream/kumi_fifo.f
kumi_dma_write_mux.sv
