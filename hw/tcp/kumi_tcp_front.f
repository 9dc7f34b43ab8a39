-F kumi_tcp_parse.f
-F kumi_tcp_store.f
-F kumi_tcp_slots.f
-F kumi_tcp_table.f
-F kumi_tcp_hash.f
-F kumi_tcp_changes.f
-F ../stream/kumi_fifo.f
-F ../stream/kumi_fifo_fast.f
kumi_tcp_front.sv
