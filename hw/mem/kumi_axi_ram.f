-F ../stream/kumi_slice.f
kumi_axi_if.sv
kumi_axi_ram.sv
