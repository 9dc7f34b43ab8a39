-F kumi_siphash.f
kumi_tcp_pkg.sv
kumi_tcp_hash.sv
