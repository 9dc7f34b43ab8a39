-F ../../../hw/mem/kumi_axi_ram.f
kumi_tb_axi_ram.sv
