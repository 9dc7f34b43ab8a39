kumi_stdm_pkg.sv
kumi_stdm_align.sv
