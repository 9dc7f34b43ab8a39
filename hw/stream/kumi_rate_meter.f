-F kumi_stream.f
-F kumi_keep_count.f
kumi_rate_meter.sv
