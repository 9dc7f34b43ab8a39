+incdir+../include
-F kumi_link_pack.f
-F kumi_link_crc.f
kumi_link_chunk_pkg.sv
kumi_link_chunk_tx.sv
