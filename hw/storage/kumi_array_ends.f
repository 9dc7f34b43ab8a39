kumi_array_pkg.sv
kumi_array_ends.sv
