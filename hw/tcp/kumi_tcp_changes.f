kumi_tcp_pkg.sv
kumi_tcp_changes.sv
