-F ../../../hw/kernel/kumi_msg_gen.f
-F ../../../hw/kernel/kumi_msg_check.f
-F ../../../hw/kernel/kumi_msg_echo.f
../../../hw/regs/kumi_axil_demux.sv
kumi_t_msg.sv
