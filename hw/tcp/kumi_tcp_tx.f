-F ../stream/kumi_fifo.f
-F ../stream/kumi_checksum.f
-F ../stream/kumi_count_keep.f
-F ../mem/kumi_mem_shift.f
-F ../mem/kumi_ring_burst.f
../stream/kumi_hdr_if.sv
../stream/kumi_axis_if.sv
../mem/kumi_axi_if.sv
../ip/kumi_ip_pkg.sv
kumi_tcp_pkg.sv
kumi_tcp_front_pkg.sv
kumi_tcp_tx_head.sv
kumi_tcp_tx_sums.sv
kumi_tcp_tx_names.sv
kumi_tcp_tx_send.sv
kumi_tcp_tx.sv
