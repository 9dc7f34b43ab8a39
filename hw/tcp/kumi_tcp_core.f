-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F ../stream/kumi_fifo_fast.f
-F ../stream/kumi_arbiter.f
kumi_tcp_pkg.sv
kumi_tcp_core_pkg.sv
kumi_tcp_tcb_ram.sv
kumi_tcp_timer.sv
kumi_tcp_cc_newreno.sv
kumi_tcp_cc_cut.sv
-F kumi_tcp_cubic_root.f
kumi_tcp_cubic_aim.sv
kumi_tcp_cubic_grow.sv
kumi_tcp_core_cubic.sv
kumi_tcp_core_gaps.sv
kumi_tcp_core_calc.sv
kumi_tcp_core_judge.sv
kumi_tcp_core_take.sv
kumi_tcp_core_app.sv
kumi_tcp_core_sums.sv
kumi_tcp_core_loss.sv
kumi_tcp_core_plan.sv
kumi_tcp_core_emit.sv
kumi_tcp_core_exec.sv
kumi_tcp_core_pick.sv
kumi_tcp_core_cookie.sv
kumi_tcp_core_admit.sv
kumi_tcp_core.sv
