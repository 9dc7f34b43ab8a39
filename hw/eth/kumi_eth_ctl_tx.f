-F ../stream/kumi_stream.f
kumi_eth_ctl_pkg.sv
kumi_eth_ctl_tx.sv
