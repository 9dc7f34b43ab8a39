-F ../stream/kumi_fifo.f
-F kumi_link_if.f
kumi_link_rx_fifo.sv
