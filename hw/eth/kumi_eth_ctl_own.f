-F ../stream/kumi_stream.f
-F ../stream/kumi_sync.f
kumi_eth_ctl_own.sv
