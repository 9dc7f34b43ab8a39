-F kumi_axis_async_fifo.f
kumi_hdr_async_fifo.sv
