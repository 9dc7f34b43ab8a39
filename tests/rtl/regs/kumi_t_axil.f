-F ../../../hw/stream/kumi_stream.f
../../../hw/ip/kumi_ip_pkg.sv
../../../hw/regs/kumi_axil_if.sv
../../../hw/regs/generated/kumi_regs_pkg.sv
-F ../../../hw/regs/generated/kumi_id_regs.f
-F ../../../hw/regs/generated/kumi_ip_regs.f
../../../hw/regs/kumi_axil_demux.sv
../../../hw/regs/kumi_event_counters.sv
../../../hw/node/kumi_node_id.sv
../../../hw/node/kumi_node_ip.sv
kumi_t_axil.sv
