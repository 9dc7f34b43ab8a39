// The interfaces that every block shares.
+incdir+../include
kumi_axis_if.sv
kumi_hdr_if.sv
