kumi_xgmii_pkg.sv
kumi_pcs_10g_pkg.sv
kumi_scrambler.sv
kumi_pcs_10g_tx.sv
