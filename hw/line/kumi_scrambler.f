kumi_scrambler.sv
