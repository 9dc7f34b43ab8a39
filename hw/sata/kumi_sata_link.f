-F kumi_sata_tx_frame.f
-F kumi_sata_tx_words.f
-F kumi_sata_rx_frame.f
kumi_sata_link.sv
