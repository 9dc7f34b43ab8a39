-F kumi_sata_host.f
-F kumi_sata_cmd.f
-F kumi_sata_ctl.f
-F ../stream/kumi_hdr_async_fifo.f
-F ../stream/kumi_axis_async_fifo.f
-F ../stream/kumi_axis_width.f
kumi_sata_port.sv
