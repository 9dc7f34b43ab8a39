-F ../tcp/kumi_tcp_app.f
-F ../ip/kumi_udp_mux.f
-F ../stream/kumi_fifo.f
-F ../stream/kumi_count_keep.f
../ip/kumi_ip_pkg.sv
kumi_iperf_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_iperf_server_regs.f
../regs/kumi_event_counters.sv
kumi_iperf_tcp.sv
kumi_iperf_udp.sv
kumi_iperf_udp_send.sv
kumi_iperf_server.sv
