-F ../../../hw/ip/kumi_ip_stack.f
-F ../../../hw/ip/kumi_ip_bare.f
ip_bare_top.sv
