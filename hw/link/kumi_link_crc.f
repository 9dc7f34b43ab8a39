kumi_link_crc_pkg.sv
kumi_link_crc.sv
