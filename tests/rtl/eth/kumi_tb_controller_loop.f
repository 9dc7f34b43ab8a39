-F ../../../hw/eth/kumi_eth_controller.f
kumi_tb_controller_loop.sv
