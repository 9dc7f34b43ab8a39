// SPDX-License-Identifier: Apache-2.0
//
// Application multiplexer: several applications share one TCP engine.
//
// s_*[i], m_*[i]: application i, streams as those of the engine (kumi_tcp_pkg); m_eng_*, s_eng_*:
//   the engine. A session belongs to the application that listens on its port or opened it, and
//   only that one is notified. The session numbers an application uses are not checked.
// Arbitration: round robin for listen, open, close and read; for writes see kumi_tcp_app_mux_write.
// Latency: notifications 2 cycles, open responses 2, other streams 1 each way; listening somewhat
//   more.
// Blocking: an application that does not accept notifications, responses or read data blocks the
//   others meanwhile; one with accepted writes, until it has sent their frames. The kernels of this
//   project always accept notifications and responses, read only what they can accept, and write
//   only what they have.
// Refused here, without asking the engine: a port that another application owns (TCP_IN_USE), and
//   more than PORTS ports (TCP_NO_ROOM). Sessions on a port without owner are aborted.
// Requirements on the engine: the response to an open precedes the session's first notification;
//   responses on each stream are in order, except those to opens.
module kumi_tcp_app_mux
  import kumi_tcp_pkg::*;
#(
    parameter int CLIENTS  = 2,   // applications, 1..8
    parameter int SESSIONS = 64,  // session numbers of the engine, a power of two
    parameter int PORTS    = 16   // open ports of all applications
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_listen[CLIENTS],
    kumi_rec_if.src m_listen_rsp[CLIENTS],
    kumi_rec_if.snk s_open[CLIENTS],
    kumi_rec_if.src m_open_rsp[CLIENTS],
    kumi_rec_if.snk s_close[CLIENTS],
    kumi_rec_if.src m_notify[CLIENTS],
    kumi_rec_if.snk s_read[CLIENTS],
    kumi_rec_if.src m_read[CLIENTS],
    kumi_axis_if.src m_axis[CLIENTS],
    kumi_rec_if.snk s_write[CLIENTS],
    kumi_rec_if.src m_write[CLIENTS],
    kumi_axis_if.snk s_axis[CLIENTS],
    kumi_rec_if.src m_eng_listen,
    kumi_rec_if.snk s_eng_listen_rsp,
    kumi_rec_if.src m_eng_open,
    kumi_rec_if.snk s_eng_open_rsp,
    kumi_rec_if.src m_eng_close,
    kumi_rec_if.snk s_eng_notify,
    kumi_rec_if.src m_eng_read,
    kumi_rec_if.snk s_eng_read,
    kumi_axis_if.snk s_eng_axis,
    kumi_rec_if.src m_eng_write,
    kumi_rec_if.snk s_eng_write,
    kumi_axis_if.src m_eng_axis,
    output logic busy
);
  if (CLIENTS < 1 || CLIENTS > 8) begin : gen_check_clients
    $fatal(0, "CLIENTS must be 1..8 (%m)");
  end
  if (SESSIONS < 2 || SESSIONS > 2 ** SID_W || (SESSIONS & (SESSIONS - 1)) != 0)
  begin : gen_check_sessions
    $fatal(0, "SESSIONS must be a power of two, 2..65536 (%m)");
  end
  if (s_eng_axis.DATA_W != m_eng_axis.DATA_W) begin : gen_check_axis
    $fatal(0, "s_eng_axis and m_eng_axis differ in width (%m)");
  end

  logic act_valid, look_hit, ev_orphan;
  logic [SID_W-1:0] act_sid;
  logic [2:0] act_client, look_client;
  logic [15:0] look_port;
  logic ports_busy, note_busy, read_busy, write_busy;

  kumi_rec_if #(.W(CLOSE_W)) orphan ();

  kumi_tcp_app_mux_ports #(
      .CLIENTS(CLIENTS),
      .PORTS  (PORTS)
  ) u_ports (
      .clk,
      .rst,
      .s_listen,
      .m_listen_rsp,
      .s_open,
      .m_open_rsp,
      .m_eng_listen,
      .s_eng_listen_rsp,
      .m_eng_open,
      .s_eng_open_rsp,
      .act_valid,
      .act_sid,
      .act_client,
      .look_port,
      .look_hit,
      .look_client,
      .busy(ports_busy)
  );

  kumi_tcp_app_mux_notify #(
      .CLIENTS (CLIENTS),
      .SESSIONS(SESSIONS)
  ) u_note (
      .clk,
      .rst,
      .act_valid,
      .act_sid,
      .act_client,
      .look_port,
      .look_hit,
      .look_client,
      .s_eng_notify,
      .m_notify,
      .m_orphan(orphan),
      .ev_orphan,
      .busy(note_busy)
  );

  kumi_tcp_app_mux_read #(
      .CLIENTS(CLIENTS)
  ) u_read (
      .clk,
      .rst,
      .s_read,
      .m_read,
      .m_axis,
      .m_eng_read,
      .s_eng_read,
      .s_eng_axis,
      .busy(read_busy)
  );

  kumi_tcp_app_mux_write #(
      .CLIENTS(CLIENTS)
  ) u_write (
      .clk,
      .rst,
      .s_write,
      .m_write,
      .s_axis,
      .m_eng_write,
      .s_eng_write,
      .m_eng_axis,
      .busy(write_busy)
  );

  // ---- closes: of the applications, and of sessions without owner -----------------------------
  logic [CLIENTS:0] close_req, close_grant;
  logic [CLIENTS:0][CLOSE_W-1:0] close_data;
  logic [CLOSE_W-1:0] close_d;
  logic close_take;

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_close
    assign close_req[i] = s_close[i].valid;
    assign close_data[i] = s_close[i].data;
    assign s_close[i].ready = close_take && close_grant[i];
  end
  assign close_req[CLIENTS] = orphan.valid;
  assign close_data[CLIENTS] = orphan.data;
  assign orphan.ready = close_take && close_grant[CLIENTS];
  assign close_take = |close_req && (!m_eng_close.valid || m_eng_close.ready);

  kumi_arbiter #(
      .N(CLIENTS + 1)
  ) u_close_arbiter (
      .clk,
      .rst,
      .req  (close_req),
      .done (close_take),
      .grant(close_grant)
  );

  always_comb begin
    close_d = '0;
    for (int i = 0; i <= CLIENTS; i++) close_d |= close_data[i] & {CLOSE_W{close_grant[i]}};
  end

  always_ff @(posedge clk) begin
    if (m_eng_close.ready) m_eng_close.valid <= 1'b0;
    if (close_take) begin
      m_eng_close.valid <= 1'b1;
      m_eng_close.data  <= close_d;
    end
    if (rst) m_eng_close.valid <= 1'b0;
  end

  assign busy = ports_busy || note_busy || read_busy || write_busy || m_eng_close.valid;

  logic unused;
  assign unused = ev_orphan;
endmodule
