// Generated from regs/dma.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_dma_regs_pkg.sv
kumi_dma_regs.sv
