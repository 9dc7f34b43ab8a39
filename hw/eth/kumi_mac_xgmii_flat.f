-F kumi_mac_xgmii.f
kumi_mac_xgmii_flat.sv
