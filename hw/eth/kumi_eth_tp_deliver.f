-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F kumi_eth_ctl_keep.f
-F kumi_eth_tp_ram.f
kumi_eth_tp_pkg.sv
kumi_eth_tp_deliver.sv
