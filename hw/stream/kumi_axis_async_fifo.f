-F kumi_stream.f
-F kumi_fifo_mem.f
-F kumi_sync.f
kumi_axis_async_fifo.sv
