-F ../stream/kumi_stream.f
-F ../stream/kumi_slice.f
-F ../stream/kumi_keep_count.f
kumi_dma_pkg.sv
kumi_dma_fill.sv
