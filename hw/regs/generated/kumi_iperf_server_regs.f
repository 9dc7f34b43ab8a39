// Generated from regs/iperf_server.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_iperf_server_regs_pkg.sv
kumi_iperf_server_regs.sv
