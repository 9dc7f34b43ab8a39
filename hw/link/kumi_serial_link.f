-F kumi_link.f
-F kumi_link_from_axis.f
-F kumi_link_to_axis.f
-F kumi_link_rx_fifo.f
-F kumi_link_nfc.f
kumi_serial_link.sv
