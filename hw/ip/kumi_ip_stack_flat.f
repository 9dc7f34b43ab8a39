-F kumi_ip_stack.f
kumi_ip_stack_flat.sv
