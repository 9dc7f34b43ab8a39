-F kumi_msg.f
-F ../regs/generated/kumi_eth_echo_regs.f
../regs/kumi_event_counters.sv
kumi_msg_echo.sv
