// Generated from regs/stdm.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_stdm_regs_pkg.sv
kumi_stdm_regs.sv
