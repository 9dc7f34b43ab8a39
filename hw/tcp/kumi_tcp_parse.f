-F ../stream/kumi_checksum.f
-F ../stream/kumi_count_keep.f
../stream/kumi_hdr_if.sv
../stream/kumi_axis_if.sv
../ip/kumi_ip_pkg.sv
kumi_tcp_pkg.sv
kumi_tcp_front_pkg.sv
kumi_tcp_parse.sv
