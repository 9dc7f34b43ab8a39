-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F ../regs/generated/kumi_stdm_regs.f
../regs/kumi_axil_if.sv
../regs/kumi_event_counters.sv
kumi_stdm_pkg.sv
kumi_stdm_timer.sv
kumi_stdm_table.sv
kumi_stdm_count.sv
kumi_stdm_core.sv
kumi_stdm_ctl.sv
-F kumi_stdm_best.f
kumi_stdm_switch.sv
