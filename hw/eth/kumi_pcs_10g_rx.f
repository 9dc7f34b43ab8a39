kumi_eth_pkg.sv
kumi_xgmii_pkg.sv
kumi_pcs_10g_pkg.sv
kumi_descrambler.sv
kumi_pcs_10g_lock.sv
kumi_pcs_10g_rx.sv
