../sata/kumi_sata_cmd_pkg.sv
kumi_node_sata_line.sv
