-F kumi_eth_ctl_own.f
-F kumi_eth_ctl_tx.f
-F kumi_eth_ctl_rx.f
-F kumi_eth_ctl_fifo.f
-F kumi_eth_ctl_keep.f
-F kumi_eth_ctl_out.f
kumi_eth_controller.sv
