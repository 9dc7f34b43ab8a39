-F ../stream/kumi_stream.f
../regs/kumi_axil_if.sv
../regs/kumi_event_counters.sv
-F ../regs/generated/kumi_dma_regs.f
-F kumi_dma_ring.f
-F kumi_dma_read.f
-F kumi_dma_shift.f
-F kumi_dma_cut.f
-F kumi_dma_fill.f
-F kumi_dma_write.f
-F kumi_dma_done.f
-F kumi_dma_ctl.f
kumi_dma_channel.sv
