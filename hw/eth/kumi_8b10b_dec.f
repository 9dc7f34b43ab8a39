kumi_8b10b_pkg.sv
kumi_8b10b_dec.sv
