-F ../stream/kumi_stream.f
-F kumi_eth_ctl_keep.f
kumi_eth_ctl_pkg.sv
kumi_eth_ctl_out.sv
