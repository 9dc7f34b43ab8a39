-F ../stream/kumi_stream.f
-F ../stream/kumi_keep_count.f
-F kumi_link_if.f
kumi_link_from_axis.sv
