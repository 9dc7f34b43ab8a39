-F ../stream/kumi_stream.f
kumi_sata_cmd_pkg.sv
kumi_sata_cmd_tx.sv
