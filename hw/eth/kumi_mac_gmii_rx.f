-F ../stream/kumi_stream.f
kumi_eth_pkg.sv
kumi_mac_pkg.sv
kumi_mac_gmii_rx.sv
