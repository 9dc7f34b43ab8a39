kumi_arbiter.sv
