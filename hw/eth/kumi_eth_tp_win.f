-F kumi_eth_tp_ram.f
-F kumi_eth_tp_rtt.f
kumi_eth_tp_win.sv
