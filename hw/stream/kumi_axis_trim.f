-F kumi_stream.f
-F kumi_slice.f
-F kumi_count_keep.f
kumi_axis_trim.sv
