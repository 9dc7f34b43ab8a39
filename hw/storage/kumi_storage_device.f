-F ../mem/kumi_state_ram.f
kumi_storage_pkg.sv
kumi_storage_place_pkg.sv
-F kumi_storage_scatter.f
-F kumi_storage_divide.f
kumi_storage_device.sv
