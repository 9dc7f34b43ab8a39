-F ../stream/kumi_fifo.f
../stream/kumi_hdr_if.sv
-F kumi_array_word.f
-F kumi_array_holders.f
../sata/kumi_sata_cmd_pkg.sv
kumi_storage_pkg.sv
kumi_array_pkg.sv
kumi_array_seq.sv
