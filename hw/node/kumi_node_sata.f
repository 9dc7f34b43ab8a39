-F kumi_node_bus.f
-F kumi_node_sata_port.f
kumi_node_sata.sv
