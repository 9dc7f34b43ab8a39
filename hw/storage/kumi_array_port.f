-F ../mem/kumi_ring_read.f
-F ../mem/kumi_ring_write.f
-F ../stream/kumi_axis_frame_fifo.f
-F ../stream/kumi_slice.f
../mem/kumi_axi_if.sv
../sata/kumi_sata_cmd_pkg.sv
kumi_array_pkg.sv
kumi_array_port.sv
