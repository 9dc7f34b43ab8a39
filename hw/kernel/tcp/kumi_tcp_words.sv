// SPDX-License-Identifier: Apache-2.0
//
// TCP byte streams as records of eight bytes, for kernels that are written in OpenCL.
//
// A word is 128 bits, from the lowest: bytes 64, session 16, how many of the bytes count 16 (0..8),
//   end of the stream 1, zeros.
// m_word: received; the word that ends a stream has no bytes. s_word: to send; `end` closes behind
//   the bytes.
// s_listen, 32 bits: port that peers connect to, retried until the engine opens it; the last one
//   counts. s_open, 64 bits: address, port in the low bits of the upper half. m_opened, 64 bits:
//   session, then the reason (tcp_reason_e) in the upper half, in any order.
// m_eng: the engine's application port. Latency and blocking: kumi_tcp_sockets.
module kumi_tcp_words
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,  // session numbers, a power of two
    parameter int CHUNK = 1024  // bytes of a read or write, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_listen,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_opened,
    kumi_rec_if.src m_word,
    kumi_rec_if.snk s_word,
    kumi_tcp_app_if m_eng,
    output logic busy
);
  localparam int DATA_W = 64;
  localparam int BYTES = DATA_W / 8;

  if (m_word.W != 128 || s_word.W != 128) begin : gen_check_word
    $fatal(0, "a word must have 128 bits (%m)");
  end

  // ---- ports and connections -------------------------------------------------------------------
  kumi_rec_if #(.W(LISTEN_W)) listen ();
  kumi_rec_if #(.W(LISTEN_RSP_W)) listened ();
  kumi_rec_if #(.W(OPEN_W)) open ();
  kumi_rec_if #(.W(OPEN_RSP_W)) opened ();
  kumi_rec_if #(.W(80)) accept ();
  logic [15:0] port_q;
  logic listen_q, port_open;
  tcp_reason_e listen_reason;
  tcp_open_t open_to;
  tcp_open_rsp_t open_rsp;

  assign s_listen.ready = 1'b1;
  always_ff @(posedge clk) begin
    if (s_listen.valid) begin
      port_q   <= s_listen.data[15:0];
      listen_q <= 1'b1;
    end
    if (rst) listen_q <= 1'b0;
  end

  kumi_tcp_listener u_listener (
      .clk,
      .rst,
      .enable(listen_q),
      .port(port_q),
      .m_listen(listen),
      .s_listen_rsp(listened),
      .open(port_open),
      .reason(listen_reason)
  );

  assign open_to = '{ip: s_open.data[31:0], port: s_open.data[47:32]};
  assign open.data = open_to;
  assign open.valid = s_open.valid;
  assign s_open.ready = open.ready;

  assign open_rsp = tcp_open_rsp_t'(opened.data);
  assign m_opened.data = {28'd0, open_rsp.reason, 16'd0, open_rsp.sid};
  assign m_opened.valid = opened.valid;
  assign opened.ready = m_opened.ready;

  // A session that a peer opened is known by its first word.
  assign accept.ready = 1'b1;

  // ---- bytes -----------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W),
      .USER_W(4)
  ) rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(SID_W)
  ) tx ();
  logic [3:0] rx_count;

  kumi_keep_to_count #(
      .KEEP_W(BYTES)
  ) u_count (
      .keep (rx.tkeep),
      .count(rx_count)
  );

  assign m_word.data  = {31'd0, rx.tlast, 12'd0, rx_count, rx.tid, rx.tdata};
  assign m_word.valid = rx.tvalid;
  assign rx.tready    = m_word.ready;

  kumi_count_to_keep #(
      .KEEP_W(BYTES)
  ) u_keep (
      .count(s_word.data[83:80]),
      .keep (tx.tkeep)
  );

  assign tx.tdata = s_word.data[63:0];
  assign tx.tdest = s_word.data[79:64];
  assign tx.tlast = s_word.data[96];
  assign tx.tuser = '0;
  assign tx.tid = '0;
  assign tx.tvalid = s_word.valid;
  assign s_word.ready = tx.tready;

  logic [15:0] sessions;
  logic dropped;

  kumi_tcp_sockets #(
      .SESSIONS (SESSIONS),
      .CHUNK    (CHUNK),
      .RX_BUFFER(8 * CHUNK)
  ) u_sockets (
      .clk,
      .rst,
      .s_listen(listen),
      .m_listen_rsp(listened),
      .s_open(open),
      .m_open_rsp(opened),
      .m_accept(accept),
      .m_axis(rx),
      .s_axis(tx),
      .open_count(sessions),
      .ev_drop(dropped),
      .m_eng,
      .busy
  );

  logic unused;
  assign unused = ^{port_open, listen_reason, open_rsp, sessions, dropped, rx.tuser, rx.tdest,
                    accept.data, accept.valid, s_listen.data[31:16], s_open.data[63:48],
                    s_word.data[127:97], s_word.data[95:84]};
endmodule
