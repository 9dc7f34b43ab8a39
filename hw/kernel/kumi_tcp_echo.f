-F ../tcp/kumi_tcp_app.f
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_tcp_echo_regs.f
../regs/kumi_event_counters.sv
kumi_tcp_echo.sv
