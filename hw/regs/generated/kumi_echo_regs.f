// Generated from regs/echo.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_echo_regs_pkg.sv
kumi_echo_regs.sv
