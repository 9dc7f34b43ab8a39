// What the message kernels share.
-F ../stream/kumi_stream.f
../regs/kumi_axil_if.sv
kumi_prbs31.sv
kumi_msg_pkg.sv
