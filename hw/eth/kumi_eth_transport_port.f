-F kumi_eth_ctl_own.f
-F kumi_eth_ctl_fifo.f
-F kumi_eth_ctl_keep.f
-F kumi_eth_tp_filter.f
-F kumi_eth_transport.f
kumi_eth_transport_port.sv
