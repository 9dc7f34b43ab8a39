// Generated from regs/circuit.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_circuit_regs_pkg.sv
kumi_circuit_regs.sv
