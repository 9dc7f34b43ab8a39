-F ../../../hw/ip/kumi_ip_stack.f
ip_echo_top.sv
