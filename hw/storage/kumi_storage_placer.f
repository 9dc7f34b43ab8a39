+incdir+../include
../stream/kumi_hdr_if.sv
-F ../mem/kumi_state_ram.f
kumi_storage_pkg.sv
-F kumi_storage_scan.f
-F kumi_storage_scatter.f
-F kumi_storage_divide.f
-F kumi_storage_device.f
kumi_storage_placer.sv
