-F ../stream/kumi_stream.f
-F kumi_sata_scrambler.f
-F kumi_sata_crc.f
kumi_sata_tx_frame.sv
