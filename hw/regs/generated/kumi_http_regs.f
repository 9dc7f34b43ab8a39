// Generated from regs/http.rdl by `python -m kumihimo.regs generate`; do not edit.
kumi_http_regs_pkg.sv
kumi_http_regs.sv
