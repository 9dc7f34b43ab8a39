kumi_tcp_pkg.sv
kumi_tcp_core_pkg.sv
kumi_tcp_tcb_ram.sv
kumi_tcp_timer.sv
