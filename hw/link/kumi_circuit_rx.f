-F ../stream/kumi_stream.f
-F ../stream/kumi_fifo.f
-F ../stream/kumi_crc32.f
kumi_circuit_pkg.sv
kumi_circuit_rx.sv
