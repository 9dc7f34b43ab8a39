// Generated from regs/tcp.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_tcp_regs_pkg.sv
kumi_tcp_regs.sv
