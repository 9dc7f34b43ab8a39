-F ../../../hw/eth/kumi_eth_transport_port.f
kumi_tb_transport_loop.sv
