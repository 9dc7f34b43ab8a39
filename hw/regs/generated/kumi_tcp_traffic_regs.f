// Generated from regs/tcp_traffic.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_tcp_traffic_regs_pkg.sv
kumi_tcp_traffic_regs.sv
