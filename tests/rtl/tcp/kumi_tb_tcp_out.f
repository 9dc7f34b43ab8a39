-F ../../../hw/tcp/kumi_tcp_tx.f
kumi_tb_tcp_whole.sv
kumi_tb_tcp_out.sv
