// SPDX-License-Identifier: Apache-2.0
//
// iperf 2 server: the counterpart of `iperf -c` and `iperf -c -u`, for unmodified clients.
//
// TCP (kumi_iperf_tcp): `iperf -c`, -P, -n, and -r and -d, for which it connects back and sends.
// UDP (kumi_iperf_udp, kumi_iperf_udp_send): `iperf -c -u` with the server report, -r and -d.
//   As a client (kumi_iperf_udp_client): a stream to an `iperf -s -u`, and its report.
//   Bounce-back, isochronous and other extended tests are not answered; their bytes are received
//   and counted.
// m_app: the TCP engine (kumi_tcp_app_if); s_udp_hdr, s_udp, m_udp_hdr, m_udp: UDP records and
//   payloads (udp_hdr_t). udp_listen: the UDP ports that it takes. now_us: microseconds, wraps.
//   unresolved: from the IP stack, an address that does not answer ARP requests: a stream to it
//   ends.
module kumi_iperf_server
  import kumi_tcp_pkg::*;
  import kumi_ip_pkg::*;
  import kumi_iperf_pkg::*;
#(
    parameter int SESSIONS = 64,   // session numbers, a power of two
    parameter int CHUNK    = 4096  // bytes of a turn, a multiple of 64, at most 65472
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    input ip_unresolved_t unresolved,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    kumi_rec_if.snk s_udp_hdr,
    kumi_axis_if.snk s_udp,
    kumi_rec_if.src m_udp_hdr,
    kumi_axis_if.src m_udp,
    output udp_listen_t udp_listen,
    output logic busy
);
  localparam int EVENTS = 14;

  if (CHUNK < 64 || CHUNK % 64 != 0 || CHUNK > 65472) begin : gen_check_chunk
    $fatal(0, "CHUNK must be a multiple of 64, 64..65472 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_iperf_server_regs_pkg::kumi_iperf_server_regs__in_t  hwif_in;
  kumi_iperf_server_regs_pkg::kumi_iperf_server_regs__out_t hwif_out;

  kumi_iperf_server_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [EVENTS-1:0] ev;
  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[5:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  // ---- TCP -----------------------------------------------------------------------------------
  logic listening;
  tcp_reason_e listen_reason;
  logic [15:0] open_count, sunk, sent;
  logic sunk_valid, sent_valid, tcp_busy, udp_busy, send_busy;
  logic ev_opened, ev_ended, ev_back, ev_failed, ev_no_space, ev_short;
  logic ev_datagram, ev_report, ev_bad, ev_port, ev_udp_back, ev_full, ev_sent, ev_dead;
  logic [63:0] received_q, sent_q, udp_bytes;

  kumi_tcp_listener u_listener (
      .clk,
      .rst,
      .enable(hwif_out.ctrl.tcp.value),
      .port(hwif_out.ports.tcp.value),
      .m_listen(m_app.listen),
      .s_listen_rsp(m_app.listen_rsp),
      .open(listening),
      .reason(listen_reason)
  );

  kumi_iperf_tcp #(
      .SESSIONS(SESSIONS),
      .CHUNK(CHUNK)
  ) u_tcp (
      .clk,
      .rst,
      .back(hwif_out.ctrl.back.value),
      .now_us,
      .m_open(m_app.open),
      .s_open_rsp(m_app.open_rsp),
      .m_close(m_app.close),
      .s_notify(m_app.notify),
      .m_read(m_app.read),
      .s_read(m_app.read_rsp),
      .s_axis(m_app.rx),
      .m_write(m_app.write),
      .s_write(m_app.write_rsp),
      .m_axis(m_app.tx),
      .open_count,
      .sunk,
      .sunk_valid,
      .sent,
      .sent_valid,
      .ev_opened,
      .ev_ended,
      .ev_back,
      .ev_failed,
      .ev_no_space,
      .ev_short,
      .busy(tcp_busy)
  );

  // ---- UDP -----------------------------------------------------------------------------------
  kumi_rec_if #(.W(UDP_HDR_W)) udp_hdr[2] ();
  kumi_axis_if #(.DATA_W(m_udp.DATA_W)) udp[2] ();
  kumi_rec_if #(.W(IPERF_REVERSE_W)) udp_back ();
  kumi_rec_if #(.W(IPERF_REVERSE_W)) udp_req ();
  logic stop_stream, end_valid, end_own, client_running, report_valid;
  iperf_report_t report;
  udp_hdr_t in_hdr;
  assign in_hdr = udp_hdr_t'(s_udp_hdr.data);
  logic heard_valid, answer_valid;
  logic [31:0] heard_ip;
  logic [15:0] answer_port, back_port;

  always_comb begin
    udp_listen = '0;
    udp_listen.every = hwif_out.ctrl.udp.value && hwif_out.ports.udp.value == '0;
    udp_listen.ports[0] = '{valid: hwif_out.ctrl.udp.value, port: hwif_out.ports.udp.value};
    udp_listen.ports[1] = '{valid: back_port != '0, port: back_port};
  end

  kumi_iperf_udp u_udp (
      .clk,
      .rst,
      .enable(hwif_out.ctrl.udp.value),
      .back(hwif_out.ctrl.back.value),
      .port(hwif_out.ports.udp.value),
      .now_us,
      .s_hdr(s_udp_hdr),
      .s_axis(s_udp),
      .m_hdr(udp_hdr[0]),
      .m_axis(udp[0]),
      .m_back(udp_back),
      .heard_valid,
      .heard_ip,
      .answer_valid,
      .answer_port,
      .bytes(udp_bytes),
      .ev_datagram,
      .ev_report,
      .ev_bad,
      .ev_port,
      .ev_back(ev_udp_back),
      .ev_full,
      .busy(udp_busy)
  );

  kumi_iperf_udp_send u_udp_send (
      .clk,
      .rst,
      .now_us,
      .s_req(udp_req),
      .quiet_s(hwif_out.udp_quiet.seconds.value),
      .unresolved,
      .heard_valid,
      .heard_ip,
      .stop(stop_stream),
      .end_valid,
      .end_own,
      .answer_valid,
      .answer_port,
      .port(back_port),
      .m_hdr(udp_hdr[1]),
      .m_axis(udp[1]),
      .ev_sent,
      .ev_dead,
      .busy(send_busy)
  );

  kumi_iperf_udp_client #(
      .DATA_W(m_udp.DATA_W)
  ) u_udp_client (
      .clk,
      .rst,
      .start(hwif_out.udp_client_ctrl.start.value),
      .stop(hwif_out.udp_client_ctrl.stop.value),
      .peer_ip(hwif_out.udp_client_ip.value.value),
      .peer_port(hwif_out.udp_client.port.value),
      .length(hwif_out.udp_client.length.value),
      .rate(hwif_out.udp_client_rate.value.value),
      .bytes(hwif_out.udp_client_bytes.value.value),
      .time_us(hwif_out.udp_client_time_us.value.value),
      .running(client_running),
      .report_valid,
      .report,
      .s_back(udp_back),
      .m_req(udp_req),
      .stop_stream,
      .end_valid,
      .end_own,
      .hdr_take(s_udp_hdr.valid && s_udp_hdr.ready),
      .hdr_ours(in_hdr.local_port == back_port && in_hdr.length >= 16'(IPERF_REPORT_BYTES)),
      .beat(s_udp.tvalid && s_udp.tready),
      .data(s_udp.tdata),
      .last(s_udp.tlast),
      .bad(s_udp.tuser[0])
  );

  kumi_udp_mux #(
      .PORTS(2)
  ) u_udp_mux (
      .clk,
      .rst,
      .s_hdr (udp_hdr),
      .s_axis(udp),
      .m_hdr (m_udp_hdr),
      .m_axis(m_udp)
  );

  always_ff @(posedge clk) begin
    if (sunk_valid) received_q <= received_q + 64'(sunk);
    if (sent_valid) sent_q <= sent_q + 64'(sent);
    if (rst) begin
      received_q <= '0;
      sent_q <= '0;
    end
  end

  assign busy = tcp_busy || udp_busy || send_busy || client_running;

  // In the order of regs/iperf_server.rdl.
  assign ev = {
    ev_dead,  // udp_dead
    ev_sent,  // udp_sent
    ev_full,  // udp_full
    ev_udp_back,  // udp_back
    ev_port,  // udp_port
    ev_bad,  // udp_bad
    ev_report,  // udp_reports
    ev_datagram,  // udp_datagrams
    ev_short,  // short_reads
    ev_no_space,  // no_space
    ev_failed,  // back_failed
    ev_back,  // asked_back
    ev_ended,  // ended
    ev_opened  // opened
  };

  assign hwif_in.status.listening.next = listening;
  assign hwif_in.status.reason.next = listen_reason;
  assign hwif_in.status.sessions.next = open_count;
  assign hwif_in.received_lo.value.next = received_q[31:0];
  assign hwif_in.received_hi.value.next = received_q[63:32];
  assign hwif_in.sent_lo.value.next = sent_q[31:0];
  assign hwif_in.sent_hi.value.next = sent_q[63:32];
  assign hwif_in.udp_lo.value.next = udp_bytes[31:0];
  assign hwif_in.udp_hi.value.next = udp_bytes[63:32];
  assign hwif_in.udp_client_status.running.next = client_running;
  assign hwif_in.udp_client_status.report.next = report_valid;
  assign hwif_in.report_bytes_lo.value.next = report.bytes[31:0];
  assign hwif_in.report_bytes_hi.value.next = report.bytes[63:32];
  assign hwif_in.report_s.value.next = report.seconds;
  assign hwif_in.report_us.value.next = report.us;
  assign hwif_in.report_lost.value.next = report.lost;
  assign hwif_in.report_out_of_order.value.next = report.out_of_order;
  assign hwif_in.report_datagrams.value.next = report.datagrams;
  assign hwif_in.report_jitter_us.value.next = report.jitter_us;

  logic unused;
  assign unused = ^in_hdr;
endmodule
