-F ../../../hw/ip/kumi_udp_demux.f
-F ../../../hw/ip/kumi_udp_mux.f
udp_ports_top.sv
