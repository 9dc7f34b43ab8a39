kumi_8b10b_pkg.sv
kumi_pcs_1g_tx.sv
