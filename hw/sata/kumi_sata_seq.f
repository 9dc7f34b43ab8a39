-F ../stream/kumi_stream.f
kumi_sata_pkg.sv
-F kumi_sata_ident.f
-F kumi_sata_lowest.f
-F kumi_sata_slots.f
kumi_sata_seq.sv
