-F ../stream/kumi_stream.f
kumi_ip_pkg.sv
kumi_udp_demux.sv
