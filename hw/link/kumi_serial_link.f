-F kumi_link.f
-F kumi_link_from_axis.f
-F kumi_link_to_axis.f
-F kumi_link_skip.f
-F kumi_link_rx_fifo.f
-F kumi_link_nfc.f
-F kumi_link_retry.f
kumi_serial_link.sv
