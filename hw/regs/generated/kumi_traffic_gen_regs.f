// Generated from regs/traffic_gen.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_traffic_gen_regs_pkg.sv
kumi_traffic_gen_regs.sv
