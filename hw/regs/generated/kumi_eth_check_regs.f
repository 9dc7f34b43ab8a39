// Generated from regs/eth_check.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_eth_check_regs_pkg.sv
kumi_eth_check_regs.sv
