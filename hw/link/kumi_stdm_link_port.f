-F ../stream/kumi_crc32.f
kumi_link_pkg.sv
kumi_stdm_pkg.sv
kumi_stdm_align.sv
kumi_stdm_link_port.sv
