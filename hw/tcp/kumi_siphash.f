kumi_siphash.sv
