-F kumi_link_chunk_tx.f
-F kumi_link_chunk_rx.f
-F kumi_link_session.f
kumi_link_retry.sv
