-F kumi_sata_port.f
-F ../regs/kumi_axil_demux.f
kumi_sata_ports.sv
