-F ../stream/kumi_stream.f
-F ../stream/kumi_axis_fifo.f
-F ../stream/kumi_axis_width.f
-F ../stream/kumi_keep_count.f
-F ../stream/kumi_count_keep.f
../regs/kumi_axil_if.sv
../regs/kumi_event_counters.sv
-F ../regs/generated/kumi_mmio_fifo_regs.f
kumi_mmio_fifo.sv
