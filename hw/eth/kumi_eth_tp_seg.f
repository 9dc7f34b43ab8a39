-F ../stream/kumi_stream.f
-F ../stream/kumi_keep_count.f
kumi_eth_tp_pkg.sv
kumi_eth_tp_seg.sv
