kumi_sync.sv
