// What the applications of the TCP engine are made of.
-F kumi_tcp_work.f
-F kumi_tcp_mover.f
-F kumi_tcp_listener.f
