-F kumi_tcp_opts.f
kumi_tcp_front_pkg.sv
kumi_tcp_slots.sv
