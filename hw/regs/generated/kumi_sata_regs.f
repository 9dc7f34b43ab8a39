// Generated from regs/sata.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_sata_regs_pkg.sv
kumi_sata_regs.sv
