-F ../../../hw/link/kumi_serial_link.f
kumi_t_lane_cable.sv
kumi_t_link_pair.sv
