-F kumi_stream.f
-F kumi_slice.f
kumi_axis_pad.sv
