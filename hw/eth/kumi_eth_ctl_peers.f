-F ../stream/kumi_stream.f
kumi_eth_ctl_peers.sv
