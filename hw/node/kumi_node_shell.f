// Everything of a node but its kernels.
-F ../stream/kumi_stream.f
-F ../stream/kumi_axis_frame_fifo.f
-F ../ip/kumi_ip_stack.f
../regs/kumi_axil_if.sv
../regs/generated/kumi_regs_pkg.sv
-F ../regs/generated/kumi_id_regs.f
-F ../regs/generated/kumi_ip_regs.f
../regs/kumi_axil_demux.sv
../regs/kumi_event_counters.sv
kumi_node_buffer.sv
kumi_node_id.sv
kumi_node_ip.sv
kumi_node_shell.sv
