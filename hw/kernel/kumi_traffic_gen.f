-F kumi_probe.f
../ip/kumi_ip_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_traffic_gen_regs.f
kumi_traffic_gen.sv
