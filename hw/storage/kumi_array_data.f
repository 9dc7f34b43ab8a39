-F ../mem/kumi_ring_read.f
-F ../mem/kumi_ring_write.f
-F ../stream/kumi_stream.f
-F kumi_crc32c.f
../mem/kumi_axi_if.sv
kumi_array_pkg.sv
kumi_array_data.sv
