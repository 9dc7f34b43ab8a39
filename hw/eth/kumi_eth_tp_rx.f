-F kumi_eth_tp_parse.f
-F kumi_eth_tp_ram.f
kumi_eth_tp_rx.sv
