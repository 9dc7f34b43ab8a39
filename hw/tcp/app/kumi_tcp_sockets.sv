// SPDX-License-Identifier: Apache-2.0
//
// Sockets as streams: one AXI-Stream of bytes per direction for all sessions, for kernels that do
//   not manage lengths and transmit space.
//
// s_listen, m_listen_rsp, s_open, m_open_rsp: as those of the engine (kumi_tcp_pkg). m_accept: 16
//   bits session, then tcp_tuple_t, of each passively opened session, before its first byte.
// m_axis (kumi_tcp_sockets_rx): received bytes, tid: session; tlast, without bytes: end of the
//   stream, tuser: reason. s_axis (kumi_tcp_sockets_tx): bytes to send, tdest: session; tlast
//   closes after them, with tuser[0] aborts. Each direction is closed separately.
// Blocking: a user that does not accept m_axis, m_accept or m_open_rsp stops receiving for all of
//   its sessions, not for other applications. A peer that does not read stalls s_axis only when
//   another beat for it arrives after half of the buffers hold its bytes, or when such peers hold
//   all buffers; both end at the latest when the engine times the peer out.
// Latency: 3 cycles from read data to m_axis; s_axis 2 cycles until a buffer is complete, then the
//   engine's response and 2 more.
module kumi_tcp_sockets
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 64,  // session numbers, a power of two
    parameter int CHUNK = 1024,  // bytes per read or write, a power of two, 128..32768
    parameter int RX_BUFFER = 8192,  // bytes, a power of two, at least 2 * CHUNK; best 8 * CHUNK
    parameter int TX_SLOTS = 8  // buffers of CHUNK bytes, a power of two, 2..16
) (
    input logic clk,
    input logic rst,
    // user
    kumi_rec_if.snk s_listen,
    kumi_rec_if.src m_listen_rsp,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_open_rsp,
    kumi_rec_if.src m_accept,
    kumi_axis_if.src m_axis,
    kumi_axis_if.snk s_axis,
    output logic [15:0] open_count,
    output logic ev_drop,
    // engine
    kumi_tcp_app_if m_eng,
    output logic busy
);
  tcp_open_rsp_t opened;
  logic up, entered_q, rx_busy, tx_busy;
  kumi_rec_if #(.W(OPEN_RSP_W)) up_s ();

  assign m_eng.listen.data = s_listen.data;
  assign m_eng.listen.valid = s_listen.valid;
  assign s_listen.ready = m_eng.listen.ready;
  assign m_listen_rsp.data = m_eng.listen_rsp.data;
  assign m_listen_rsp.valid = m_eng.listen_rsp.valid;
  assign m_eng.listen_rsp.ready = m_listen_rsp.ready;
  assign m_eng.open.data = s_open.data;
  assign m_eng.open.valid = s_open.valid;
  assign s_open.ready = m_eng.open.ready;

  // A session is registered before its number is reported.
  assign opened = tcp_open_rsp_t'(m_eng.open_rsp.data);
  assign up = opened.reason == TCP_OK;
  assign up_s.data = m_eng.open_rsp.data;
  assign up_s.valid = m_eng.open_rsp.valid && up && !entered_q;
  assign m_open_rsp.data = m_eng.open_rsp.data;
  assign m_open_rsp.valid = m_eng.open_rsp.valid && (!up || entered_q);
  assign m_eng.open_rsp.ready = m_open_rsp.valid && m_open_rsp.ready;

  always_ff @(posedge clk) begin
    if (up_s.valid && up_s.ready) entered_q <= 1'b1;
    if (m_open_rsp.valid && m_open_rsp.ready) entered_q <= 1'b0;
    if (rst) entered_q <= 1'b0;
  end

  kumi_tcp_sockets_rx #(
      .SESSIONS(SESSIONS),
      .CHUNK(CHUNK),
      .BUFFER(RX_BUFFER)
  ) u_rx (
      .clk,
      .rst,
      .s_notify(m_eng.notify),
      .s_open_rsp(up_s),
      .m_read(m_eng.read),
      .s_read(m_eng.read_rsp),
      .s_axis(m_eng.rx),
      .m_axis,
      .m_accept,
      .open_count,
      .busy(rx_busy)
  );

  kumi_tcp_sockets_tx #(
      .SLOTS(TX_SLOTS),
      .CHUNK(CHUNK)
  ) u_tx (
      .clk,
      .rst,
      .s_axis,
      .m_write(m_eng.write),
      .s_write(m_eng.write_rsp),
      .m_axis(m_eng.tx),
      .m_close(m_eng.close),
      .ev_drop,
      .busy(tx_busy)
  );

  assign busy = rx_busy || tx_busy;

  logic unused;
  assign unused = ^opened;
endmodule
