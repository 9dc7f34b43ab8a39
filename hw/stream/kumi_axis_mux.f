-F kumi_stream.f
-F kumi_slice.f
-F kumi_arbiter.f
kumi_axis_mux.sv
