-F ../stream/kumi_stream.f
../ip/kumi_ip_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_echo_regs.f
../regs/kumi_event_counters.sv
kumi_udp_echo.sv
