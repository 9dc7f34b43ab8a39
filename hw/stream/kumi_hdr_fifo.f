-F kumi_stream.f
-F kumi_fifo.f
kumi_hdr_fifo.sv
