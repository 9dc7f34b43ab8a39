-F kumi_pcs_10g.f
kumi_pcs_10g_flat.sv
