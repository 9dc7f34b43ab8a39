-F ../stream/kumi_crc32.f
kumi_crc32c.sv
