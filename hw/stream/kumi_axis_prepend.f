-F kumi_stream.f
kumi_axis_prepend.sv
