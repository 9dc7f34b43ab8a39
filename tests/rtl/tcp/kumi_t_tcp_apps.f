-F ../../../hw/kernel/kumi_tcp_echo.f
-F ../../../hw/tcp/kumi_tcp_share.f
kumi_t_tcp_apps.sv
