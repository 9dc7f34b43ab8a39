kumi_gf_pkg.sv
kumi_gf_scale.sv
