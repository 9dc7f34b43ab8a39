../mem/kumi_axi_if.sv
kumi_array_word.sv
