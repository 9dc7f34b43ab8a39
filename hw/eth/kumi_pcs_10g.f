// 10GBASE-R PCS: kumi_pcs_10g_tx and kumi_pcs_10g_rx
kumi_eth_pkg.sv
kumi_xgmii_pkg.sv
kumi_pcs_10g_pkg.sv
-F ../line/kumi_scrambler.f
-F ../line/kumi_descrambler.f
-F ../line/kumi_block_lock.f
kumi_pcs_10g_tx.sv
kumi_pcs_10g_rx.sv
