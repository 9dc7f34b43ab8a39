-F kumi_probe.f
../ip/kumi_ip_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_traffic_check_regs.f
../regs/kumi_log2_hist.sv
kumi_probe_rx.sv
kumi_traffic_check.sv
