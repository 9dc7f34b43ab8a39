// beside the module: its package and the stream interfaces
-F ../../../../hw/stream/kumi_stream.f
kumi_shelled_pkg.sv
kumi_shelled.sv
