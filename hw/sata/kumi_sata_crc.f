kumi_sata_pkg.sv
kumi_sata_crc.sv
