kumi_log2_hist.sv
