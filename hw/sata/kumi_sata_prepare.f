kumi_sata_cmd_pkg.sv
kumi_sata_seq_pkg.sv
-F kumi_sata_ident.f
kumi_sata_prepare.sv
