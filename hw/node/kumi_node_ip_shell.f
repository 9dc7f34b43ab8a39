// Everything of a node on an IP network but its kernels.
-F ../stream/kumi_stream.f
-F ../stream/kumi_axis_frame_fifo.f
-F ../ip/kumi_ip_stack.f
-F kumi_node_bus.f
-F ../regs/generated/kumi_ip_regs.f
kumi_node_buffer.sv
kumi_node_ip.sv
kumi_node_ip_shell.sv
