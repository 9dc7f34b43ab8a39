-F kumi_fifo.f
-F kumi_crc32.f
+incdir+../include
kumi_crc_hold.sv
