kumi_sata_cmd_pkg.sv
kumi_sata_log.sv
