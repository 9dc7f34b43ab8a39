// MAC control: PAUSE and PFC
-F ../stream/kumi_stream.f
-F ../stream/kumi_sync.f
kumi_eth_pkg.sv
kumi_mac_ctrl_pkg.sv
kumi_mac_ctrl_timer.sv
kumi_mac_ctrl_rx.sv
kumi_mac_ctrl_tx.sv
kumi_mac_ctrl.sv
kumi_watermark.sv
