-F kumi_node_bus.f
-F kumi_node_sata_port.f
-F ../storage/kumi_array_ctl.f
-F ../storage/kumi_storage.f
kumi_node_storage.sv
