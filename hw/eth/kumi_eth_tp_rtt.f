kumi_eth_tp_pkg.sv
kumi_eth_tp_rtt.sv
