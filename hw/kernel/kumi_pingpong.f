-F kumi_probe.f
../ip/kumi_ip_pkg.sv
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_pingpong_regs.f
../regs/kumi_event_counters.sv
../regs/kumi_log2_hist.sv
kumi_probe_rx.sv
kumi_pingpong.sv
