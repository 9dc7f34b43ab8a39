-F ../tcp/kumi_tcp_app.f
-F ../stream/kumi_axis_fifo.f
../regs/kumi_axil_if.sv
-F ../regs/generated/kumi_http_regs.f
../regs/kumi_event_counters.sv
kumi_http_pkg.sv
kumi_http_parse.sv
kumi_http_page.sv
kumi_http.sv
