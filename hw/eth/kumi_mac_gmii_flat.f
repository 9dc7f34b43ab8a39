-F kumi_mac_gmii.f
kumi_mac_gmii_flat.sv
