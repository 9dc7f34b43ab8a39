-F kumi_stream.f
-F kumi_fifo.f
-F kumi_keep_count.f
kumi_axis_frame_fifo.sv
