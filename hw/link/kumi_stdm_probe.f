-F kumi_stdm.f
kumi_stdm_probe_cmd.sv
kumi_stdm_probe_word.sv
kumi_stdm_probe_best.sv
kumi_stdm_probe.sv
