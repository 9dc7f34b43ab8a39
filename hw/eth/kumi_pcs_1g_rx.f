kumi_eth_pkg.sv
kumi_8b10b_pkg.sv
kumi_pcs_1g_sync.sv
kumi_pcs_1g_rx.sv
