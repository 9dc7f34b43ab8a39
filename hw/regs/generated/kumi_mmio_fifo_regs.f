// Generated from regs/mmio_fifo.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_mmio_fifo_regs_pkg.sv
kumi_mmio_fifo_regs.sv
