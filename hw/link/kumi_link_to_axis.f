-F ../stream/kumi_stream.f
-F ../stream/kumi_count_keep.f
-F kumi_link_if.f
kumi_link_to_axis.sv
