// Generated from regs/coll.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_coll_regs_pkg.sv
kumi_coll_regs.sv
