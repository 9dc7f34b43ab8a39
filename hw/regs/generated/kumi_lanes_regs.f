// Generated from regs/lanes.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_lanes_regs_pkg.sv
kumi_lanes_regs.sv
