-F kumi_sata_scrambler.f
kumi_sata_tx_words.sv
