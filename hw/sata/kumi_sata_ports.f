-F kumi_sata_port.f
kumi_sata_ports.sv
