-F ../../../hw/link/kumi_stdm_board.f
kumi_t_stdm_pair.sv
