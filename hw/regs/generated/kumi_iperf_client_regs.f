// Generated from regs/iperf_client.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_iperf_client_regs_pkg.sv
kumi_iperf_client_regs.sv
