-F ../tcp/kumi_tcp_app.f
../ip/kumi_ip_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_iperf_server_regs.f
../regs/kumi_event_counters.sv
kumi_iperf_tcp.sv
kumi_iperf_udp.sv
kumi_iperf_server.sv
