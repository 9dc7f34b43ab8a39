// 10 Gb/s MAC on XGMII
-F ../stream/kumi_stream.f
kumi_eth_pkg.sv
kumi_xgmii_pkg.sv
kumi_mac_pkg.sv
-F ../stream/kumi_sync.f
kumi_mac_xgmii_rs.sv
kumi_mac_xgmii_tx.sv
kumi_mac_xgmii_rx.sv
kumi_mac_xgmii.sv
