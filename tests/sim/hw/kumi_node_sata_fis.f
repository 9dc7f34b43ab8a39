-F ../../../hw/sata/kumi_sata_host.f
kumi_node_sata_fis.sv
