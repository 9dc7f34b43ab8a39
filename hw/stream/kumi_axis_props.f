-F kumi_stream.f
kumi_axis_props.sv
