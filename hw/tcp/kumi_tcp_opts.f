kumi_tcp_pkg.sv
kumi_tcp_opts.sv
