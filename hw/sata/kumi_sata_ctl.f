-F ../stream/kumi_stream.f
-F ../regs/generated/kumi_sata_regs.f
../regs/kumi_axil_if.sv
../regs/kumi_event_counters.sv
kumi_sata_cmd_pkg.sv
-F kumi_sata_mail.f
../node/kumi_node_eth_cross.sv
kumi_sata_ctl.sv
