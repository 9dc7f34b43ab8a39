-F ../stream/kumi_fifo.f
kumi_eth_tp_slots.sv
