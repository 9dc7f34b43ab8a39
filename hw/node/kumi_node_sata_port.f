-F ../sata/kumi_sata_port.f
kumi_node_sata_line.sv
kumi_node_sata_port.sv
