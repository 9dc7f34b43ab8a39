-F ../../../hw/kernel/kumi_traffic_gen.f
-F ../../../hw/kernel/kumi_traffic_check.f
-F ../../../hw/kernel/kumi_pingpong.f
-F ../../../hw/kernel/kumi_udp_echo.f
../../../hw/regs/kumi_axil_demux.sv
kumi_t_kernels.sv
