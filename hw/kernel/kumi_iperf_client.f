-F ../tcp/kumi_tcp_app.f
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_iperf_client_regs.f
../regs/kumi_event_counters.sv
kumi_iperf_client.sv
