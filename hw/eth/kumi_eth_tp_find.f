-F kumi_eth_tp_ram.f
kumi_eth_tp_find.sv
