-F ../stream/kumi_fifo.f
-F ../stream/kumi_count_keep.f
../stream/kumi_axis_if.sv
kumi_tcp_store.sv
