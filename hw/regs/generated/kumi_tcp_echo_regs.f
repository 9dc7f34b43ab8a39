// Generated from regs/tcp_echo.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_tcp_echo_regs_pkg.sv
kumi_tcp_echo_regs.sv
