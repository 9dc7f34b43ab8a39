-F ../../../hw/eth/kumi_eth_transport.f
kumi_tb_transport.sv
