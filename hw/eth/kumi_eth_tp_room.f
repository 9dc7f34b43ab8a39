-F kumi_eth_tp_ram.f
kumi_eth_tp_pkg.sv
kumi_eth_tp_room.sv
