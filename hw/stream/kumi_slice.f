kumi_slice.sv
