-F ../stream/kumi_fifo.f
-F kumi_array_word.f
../stream/kumi_hdr_if.sv
kumi_storage_pkg.sv
kumi_array_pkg.sv
kumi_array_unit_pkg.sv
kumi_array_steps.sv
