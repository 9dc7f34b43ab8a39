// Generated from regs/eth_gen.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_eth_gen_regs_pkg.sv
kumi_eth_gen_regs.sv
