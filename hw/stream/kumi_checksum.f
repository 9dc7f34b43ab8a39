kumi_checksum.sv
