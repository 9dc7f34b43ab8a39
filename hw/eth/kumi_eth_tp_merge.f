-F ../stream/kumi_fifo.f
kumi_eth_tp_pkg.sv
kumi_eth_tp_merge.sv
