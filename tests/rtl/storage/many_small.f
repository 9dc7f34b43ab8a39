-F ../../../hw/storage/kumi_array_mem.f
-F ../../../hw/stream/kumi_slice.f
../../../hw/sata/kumi_sata_cmd_pkg.sv
../../../hw/storage/kumi_array_pkg.sv
small/kumi_array_port.sv
-F ../../../hw/storage/kumi_array_funnel.f
-F ../../../hw/storage/kumi_array_ends.f
-F ../../../hw/storage/kumi_array_devices.f
-F ../../../hw/storage/kumi_array_data.f
-F ../../../hw/storage/kumi_storage_coef.f
-F ../../../hw/storage/kumi_storage_parity.f
-F ../../../hw/storage/kumi_storage_placer.f
-F ../../../hw/storage/kumi_storage_slots.f
-F ../../../hw/storage/kumi_array_pending.f
-F ../../../hw/storage/kumi_array_commit.f
-F ../../../hw/storage/kumi_array_seq.f
../../../hw/storage/kumi_storage.sv
-F ../../../hw/stream/kumi_axis_mux.f
-F ../../../hw/stream/kumi_axis_demux.f
