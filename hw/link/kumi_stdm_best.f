-F ../stream/kumi_stream.f
-F ../stream/kumi_arbiter.f
-F ../stream/kumi_axis_frame_fifo.f
-F ../stream/kumi_crc32.f
-F ../stream/kumi_fifo.f
-F ../stream/kumi_slice.f
kumi_stdm_pkg.sv
kumi_stdm_best_in.sv
kumi_stdm_best_tx.sv
kumi_stdm_best_rx.sv
kumi_stdm_best.sv
