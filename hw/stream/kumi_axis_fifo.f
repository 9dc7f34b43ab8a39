-F kumi_stream.f
-F kumi_fifo.f
kumi_axis_fifo.sv
