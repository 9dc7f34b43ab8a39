-F ../tcp/kumi_tcp_listener.f
-F ../stream/kumi_axis_fifo.f
-F kumi_add32.f
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_coll_regs.f
../regs/kumi_event_counters.sv
kumi_coll_pkg.sv
kumi_coll_data.sv
kumi_coll_local.sv
kumi_coll_plan.sv
kumi_coll_link.sv
kumi_coll.sv
