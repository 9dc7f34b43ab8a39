// SPDX-License-Identifier: Apache-2.0
//
// TCP traffic for benches: a sender and a checker of test streams with registers and time stamps.
//
// m_app: the TCP engine (kumi_tcp_app_if). s_axil: regs/tcp_traffic.rdl. now: cycles since reset.
// Its own sessions and those opened by peers share the engine; SESSIONS is the engine's.
// The time of a beat is the cycle in which it moves.
module kumi_tcp_traffic
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W   = 64,  // bits of the data path
    parameter int SESSIONS = 64   // the engine's, a power of two
) (
    input logic clk,
    input logic rst,
    input logic [63:0] now,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    output logic busy
);
  kumi_tcp_traffic_regs_pkg::kumi_tcp_traffic_regs__in_t  hwif_in;
  kumi_tcp_traffic_regs_pkg::kumi_tcp_traffic_regs__out_t hwif_out;

  kumi_tcp_traffic_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // ---- listen, send, check ---------------------------------------------------------------------
  kumi_rec_if #(.W(CLOSE_W)) gen_close ();
  kumi_rec_if #(.W(CLOSE_W)) check_close ();
  logic listening, ev_failed, ev_refused, ev_opened, ev_fin, ev_ended, ev_broken;
  logic gen_busy, check_busy;
  logic [15:0] opened;
  logic [6:0] got, bad;
  tcp_reason_e reason;

  kumi_tcp_listener u_listener (
      .clk,
      .rst,
      .enable(hwif_out.ctrl.listen.value),
      .port(hwif_out.port.listen.value),
      .m_listen(m_app.listen),
      .s_listen_rsp(m_app.listen_rsp),
      .open(listening),
      .reason
  );

  kumi_tcp_traffic_gen #(
      .SESSIONS(SESSIONS)
  ) u_gen (
      .clk,
      .rst,
      .open(hwif_out.ctrl.open.value),
      .write(hwif_out.ctrl.write.value),
      .close(hwif_out.ctrl.close.value),
      .peer_ip(hwif_out.peer_ip.value.value),
      .peer_port(hwif_out.port.peer.value),
      .count(hwif_out.size.sessions.value),
      .chunk(hwif_out.size.chunk.value),
      .bytes(hwif_out.bytes.value.value),
      .m_open(m_app.open),
      .s_open_rsp(m_app.open_rsp),
      .m_close(gen_close),
      .m_write(m_app.write),
      .s_write(m_app.write_rsp),
      .m_axis(m_app.tx),
      .opened,
      .ev_failed,
      .ev_refused,
      .busy(gen_busy)
  );

  kumi_tcp_traffic_check #(
      .SESSIONS(SESSIONS),
      .DATA_W  (DATA_W)
  ) u_check (
      .clk,
      .rst,
      .hold(hwif_out.ctrl.hold.value),
      .follow(hwif_out.ctrl.follow.value),
      .s_notify(m_app.notify),
      .m_close(check_close),
      .m_read(m_app.read),
      .s_read(m_app.read_rsp),
      .s_axis(m_app.rx),
      .got,
      .bad,
      .ev_opened,
      .ev_fin,
      .ev_ended,
      .ev_broken,
      .busy(check_busy)
  );

  // The checker's closes come first: they are few.
  assign m_app.close.valid = check_close.valid || gen_close.valid;
  assign m_app.close.data  = check_close.valid ? check_close.data : gen_close.data;
  assign check_close.ready = m_app.close.ready;
  assign gen_close.ready   = m_app.close.ready && !check_close.valid;

  // ---- results --------------------------------------------------------------------------------
  logic clear, handed;
  logic [31:0] failed_q, refused_q, bad_q, accepted_q, finished_q, ended_q, broken_q;
  logic [63:0] sent_q, got_q;
  logic [31:0] tx_first_q, tx_last_q, rx_first_q, rx_last_q, open_first_q, open_last_q;
  logic tx_any_q, rx_any_q, open_any_q;
  logic [6:0] kept;

  assign clear  = hwif_out.ctrl.clear.value;
  assign handed = m_app.tx.tvalid && m_app.tx.tready;

  always_comb begin
    kept = '0;
    for (int i = 0; i < DATA_W / 8; ++i) kept = kept + 7'(m_app.tx.tkeep[i]);
  end

  always_ff @(posedge clk) begin
    failed_q <= failed_q + 32'(ev_failed);
    refused_q <= refused_q + 32'(ev_refused);
    bad_q <= bad_q + 32'(bad);
    accepted_q <= accepted_q + 32'(ev_opened);
    finished_q <= finished_q + 32'(ev_fin);
    ended_q <= ended_q + 32'(ev_ended);
    broken_q <= broken_q + 32'(ev_broken);
    got_q <= got_q + 64'(got);
    if (handed) begin
      sent_q <= sent_q + 64'(kept);
      tx_any_q <= 1'b1;
      tx_last_q <= now[31:0];
      if (!tx_any_q) tx_first_q <= now[31:0];
    end
    if (m_app.rx.tvalid && m_app.rx.tready) begin
      rx_any_q  <= 1'b1;
      rx_last_q <= now[31:0];
      if (!rx_any_q) rx_first_q <= now[31:0];
    end
    if (m_app.open.valid && m_app.open.ready) begin
      open_any_q <= 1'b1;
      if (!open_any_q) open_first_q <= now[31:0];
    end
    if (m_app.open_rsp.valid) open_last_q <= now[31:0];
    if (rst || clear) begin
      failed_q <= '0;
      refused_q <= '0;
      bad_q <= '0;
      accepted_q <= '0;
      finished_q <= '0;
      ended_q <= '0;
      broken_q <= '0;
      got_q <= '0;
      sent_q <= '0;
      tx_any_q <= 1'b0;
      rx_any_q <= 1'b0;
      open_any_q <= 1'b0;
    end
  end

  assign hwif_in.status.busy.next = gen_busy;
  assign hwif_in.status.listening.next = listening;
  assign hwif_in.status.opened.next = opened;
  assign hwif_in.failed.value.next = failed_q;
  assign hwif_in.refused.value.next = refused_q;
  assign hwif_in.sent_lo.value.next = sent_q[31:0];
  assign hwif_in.sent_hi.value.next = sent_q[63:32];
  assign hwif_in.tx_first.value.next = tx_first_q;
  assign hwif_in.tx_last.value.next = tx_last_q;
  assign hwif_in.open_first.value.next = open_first_q;
  assign hwif_in.open_last.value.next = open_last_q;
  assign hwif_in.got_lo.value.next = got_q[31:0];
  assign hwif_in.got_hi.value.next = got_q[63:32];
  assign hwif_in.bad_bytes.value.next = bad_q;
  assign hwif_in.rx_first.value.next = rx_first_q;
  assign hwif_in.rx_last.value.next = rx_last_q;
  assign hwif_in.accepted.value.next = accepted_q;
  assign hwif_in.finished.value.next = finished_q;
  assign hwif_in.ended.value.next = ended_q;
  assign hwif_in.broken.value.next = broken_q;

  assign busy = gen_busy || check_busy;

  logic unused;
  assign unused = ^{reason, now[63:32]};
endmodule
