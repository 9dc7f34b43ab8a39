-F ../stream/kumi_axis_prepend.f
-F ../stream/kumi_axis_strip.f
kumi_ip_bare.sv
