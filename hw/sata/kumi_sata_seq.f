-F ../stream/kumi_stream.f
kumi_sata_pkg.sv
kumi_sata_cmd_pkg.sv
kumi_sata_seq_pkg.sv
-F kumi_sata_choose.f
-F kumi_sata_log.f
-F kumi_sata_meaning.f
-F kumi_sata_phase.f
-F kumi_sata_prepare.f
-F kumi_sata_recover.f
-F kumi_sata_send.f
-F kumi_sata_steps.f
-F kumi_sata_table.f
-F kumi_sata_wait.f
kumi_sata_seq.sv
