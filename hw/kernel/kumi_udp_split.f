-F ../stream/kumi_stream.f
../ip/kumi_ip_pkg.sv
kumi_udp_split.sv
