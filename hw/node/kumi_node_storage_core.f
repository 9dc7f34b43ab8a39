-F ../regs/kumi_axil_demux.f
../regs/kumi_axil_if.sv
../regs/generated/kumi_regs_pkg.sv
-F ../regs/generated/kumi_id_regs.f
../regs/kumi_event_counters.sv
kumi_node_id.sv
-F ../sata/kumi_sata_ports.f
-F ../storage/kumi_array_ctl.f
-F ../storage/kumi_storage.f
kumi_node_sata_line.sv
kumi_node_storage_pkg.sv
kumi_node_storage_core.sv
