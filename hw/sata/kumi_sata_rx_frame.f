-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F kumi_sata_scrambler.f
-F kumi_sata_crc.f
kumi_sata_rx_frame.sv
