-F ../stream/kumi_stream.f
kumi_mac_ctrl_pkg.sv
kumi_mac_ctrl_timer.sv
kumi_mac_ctrl_tx.sv
