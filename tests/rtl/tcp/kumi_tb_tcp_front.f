-F ../../../hw/tcp/kumi_tcp_front.f
kumi_tb_tcp_halves.sv
kumi_tb_tcp_front.sv
