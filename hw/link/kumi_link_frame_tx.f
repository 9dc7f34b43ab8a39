+incdir+../include
-F kumi_link_pack.f
kumi_link_pkg.sv
kumi_link_frame_tx.sv
