// Generated from regs/pingpong.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_pingpong_regs_pkg.sv
kumi_pingpong_regs.sv
