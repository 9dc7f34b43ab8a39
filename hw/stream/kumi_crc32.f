kumi_crc32.sv
