// Generated from regs/eth_port.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_eth_port_regs_pkg.sv
kumi_eth_port_regs.sv
