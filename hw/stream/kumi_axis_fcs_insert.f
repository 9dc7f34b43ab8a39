-F kumi_stream.f
-F kumi_slice.f
-F kumi_crc_hold.f
kumi_axis_fcs_insert.sv
