../stream/kumi_hdr_if.sv
../sata/kumi_sata_cmd_pkg.sv
kumi_storage_pkg.sv
kumi_array_pkg.sv
kumi_array_unit_pkg.sv
-F kumi_array_turn.f
-F kumi_array_contexts.f
-F kumi_array_steps.f
-F kumi_array_write.f
-F kumi_array_enter.f
-F kumi_array_read.f
-F kumi_array_gather.f
-F kumi_array_heal.f
-F kumi_array_release.f
-F kumi_array_raw.f
-F kumi_array_settings.f
kumi_array_seq.sv
