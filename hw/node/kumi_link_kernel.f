-F ../stream/kumi_stream.f
-F ../stream/kumi_axis_frame_fifo.f
-F ../ip/kumi_ip_stack.f
-F ../ip/kumi_ip_bare.f
-F ../regs/generated/kumi_ip_regs.f
-F ../kernel/kumi_udp_echo.f
kumi_node_buffer.sv
kumi_node_ip.sv
kumi_link_kernel.sv
