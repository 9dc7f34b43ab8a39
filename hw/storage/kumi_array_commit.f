-F kumi_storage_log.f
../stream/kumi_hdr_if.sv
../stream/kumi_axis_if.sv
-F kumi_array_word.f
kumi_array_pkg.sv
kumi_array_commit.sv
