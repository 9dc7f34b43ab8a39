// 10GBASE-R port: MAC control, MAC, PCS
-F kumi_mac_ctrl.f
-F kumi_mac_xgmii.f
-F kumi_pcs_10g.f
kumi_eth_10g.sv
