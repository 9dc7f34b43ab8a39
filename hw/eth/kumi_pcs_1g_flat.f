// 1000BASE-X PCS: kumi_pcs_1g_tx and kumi_pcs_1g_rx
kumi_eth_pkg.sv
kumi_8b10b_pkg.sv
kumi_pcs_1g_tx.sv
kumi_pcs_1g_sync.sv
kumi_pcs_1g_rx.sv
kumi_pcs_1g_flat.sv
