// Generated from regs/storage.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_storage_regs_pkg.sv
kumi_storage_regs.sv
