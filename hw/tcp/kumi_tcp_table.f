../stream/kumi_hdr_if.sv
kumi_tcp_pkg.sv
kumi_tcp_front_pkg.sv
kumi_tcp_table.sv
