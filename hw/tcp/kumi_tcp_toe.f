-F kumi_tcp_app.f
kumi_tcp_toe_note.sv
kumi_tcp_toe.sv
