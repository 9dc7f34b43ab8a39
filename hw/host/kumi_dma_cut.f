-F ../stream/kumi_stream.f
-F ../stream/kumi_slice.f
kumi_dma_cut.sv
