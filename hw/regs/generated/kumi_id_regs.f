// Generated from regs/id.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_id_regs_pkg.sv
kumi_id_regs.sv
