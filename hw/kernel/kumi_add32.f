kumi_add32.sv
