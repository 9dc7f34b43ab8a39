-F kumi_stream.f
kumi_axis_strip.sv
