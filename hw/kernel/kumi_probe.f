// The probe payload: package, generator, checker.
-F ../stream/kumi_stream.f
kumi_probe_pkg.sv
kumi_prbs31.sv
kumi_probe_gen.sv
kumi_probe_check.sv
