kumi_xgmii_pkg.sv
kumi_pcs_10g_pkg.sv
-F ../line/kumi_scrambler.f
kumi_pcs_10g_tx.sv
