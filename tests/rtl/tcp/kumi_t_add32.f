-F ../../../hw/stream/kumi_stream.f
-F ../../../hw/kernel/kumi_add32.f
kumi_t_add32.sv
