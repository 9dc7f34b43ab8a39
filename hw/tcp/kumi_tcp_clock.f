kumi_tcp_clock.sv
