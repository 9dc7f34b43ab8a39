-F kumi_stream.f
-F kumi_slice.f
kumi_hdr_reg.sv
