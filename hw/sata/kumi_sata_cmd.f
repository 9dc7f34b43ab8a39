-F kumi_sata_cmd_rx.f
-F kumi_sata_cmd_tx.f
-F kumi_sata_fetch.f
-F kumi_sata_seq.f
kumi_sata_cmd.sv
