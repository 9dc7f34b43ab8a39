// Generated from regs/traffic_check.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_traffic_check_regs_pkg.sv
kumi_traffic_check_regs.sv
