-F ../stream/kumi_arbiter.f
-F ../stream/kumi_slice.f
kumi_dma_read_mux.sv
