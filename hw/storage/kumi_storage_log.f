../stream/kumi_axis_if.sv
../stream/kumi_hdr_if.sv
-F ../mem/kumi_state_ram.f
kumi_storage_pkg.sv
-F kumi_crc32c.f
-F kumi_storage_divide.f
kumi_storage_log.sv
