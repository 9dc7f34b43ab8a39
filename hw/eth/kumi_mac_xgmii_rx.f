-F ../stream/kumi_stream.f
kumi_eth_pkg.sv
kumi_xgmii_pkg.sv
kumi_mac_pkg.sv
kumi_mac_xgmii_rx.sv
