// Internet protocols: packages and interfaces first.
-F ../stream/kumi_stream.f
kumi_ip_pkg.sv
-F ../stream/kumi_fifo.f
kumi_ip_ticks.sv
kumi_ip_sum.sv
kumi_eth_untag.sv
kumi_eth_tag.sv
kumi_ip_rx.sv
kumi_ip_rx_store.sv
kumi_icmp_echo.sv
kumi_udp_tx_hold.sv
kumi_udp_tx_queue.sv
kumi_udp_tx.sv
kumi_arp_cache.sv
kumi_arp.sv
kumi_arp_park.sv
kumi_ip_resolve.sv
kumi_ip_build.sv
kumi_ip_tx.sv
kumi_ip_stack.sv
