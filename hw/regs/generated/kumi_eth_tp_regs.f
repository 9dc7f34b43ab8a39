// Generated from regs/eth_tp.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_eth_tp_regs_pkg.sv
kumi_eth_tp_regs.sv
