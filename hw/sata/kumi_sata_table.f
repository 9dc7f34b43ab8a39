kumi_sata_cmd_pkg.sv
kumi_sata_seq_pkg.sv
-F kumi_sata_lowest.f
-F kumi_sata_slots.f
kumi_sata_table.sv
