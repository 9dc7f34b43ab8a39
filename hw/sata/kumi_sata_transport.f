-F kumi_sata_fis_tx.f
-F kumi_sata_fis_rx.f
kumi_sata_transport.sv
