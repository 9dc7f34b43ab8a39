kumi_sata_pkg.sv
kumi_sata_cmd_pkg.sv
kumi_sata_seq_pkg.sv
kumi_sata_steps.sv
