-F kumi_node_storage_core.f
kumi_node_storage.sv
