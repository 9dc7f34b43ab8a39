// Generated from regs/eth_echo.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_eth_echo_regs_pkg.sv
kumi_eth_echo_regs.sv
