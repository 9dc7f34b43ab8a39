-F ../stream/kumi_fifo_mem.f
-F ../stream/kumi_sync.f
kumi_eth_ctl_fifo.sv
