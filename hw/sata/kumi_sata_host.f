-F kumi_sata_rx_words.f
-F kumi_sata_init.f
-F kumi_sata_link.f
-F kumi_sata_transport.f
kumi_sata_host.sv
