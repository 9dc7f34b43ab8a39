-F kumi_tcp_tx_ledger.f
-F kumi_tcp_tx_place.f
-F kumi_tcp_latest.f
kumi_tcp_mem_pkg.sv
kumi_tcp_tx_mem.sv
