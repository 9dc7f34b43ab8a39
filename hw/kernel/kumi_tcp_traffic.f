-F ../stream/kumi_stream.f
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_tcp_traffic_regs.f
-F ../tcp/kumi_tcp_listener.f
-F kumi_tcp_gen.f
-F kumi_tcp_check.f
kumi_tcp_traffic.sv
