-F kumi_array_holders.f
kumi_storage_pkg.sv
kumi_array_pkg.sv
kumi_array_unit_pkg.sv
kumi_array_enter.sv
