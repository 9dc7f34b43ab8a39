// Generated from regs/ip.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_ip_regs_pkg.sv
kumi_ip_regs.sv
