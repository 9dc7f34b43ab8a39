-F ../mem/kumi_axi_ram.f
kumi_tcp_rings.sv
