// SPDX-License-Identifier: Apache-2.0
//
// Application multiplexer: several applications share one TCP engine.
//
// s_app[i]: application i; m_eng: the engine. A session belongs to the application that listens on
//   its port or opened it, and only that one is notified. The session numbers an application uses
//   are not checked.
// Arbitration: round robin for listen, open, close and read; for writes see kumi_tcp_app_mux_write.
// Latency: notifications 2 cycles, open responses 2, other streams 1 each way; listening somewhat
//   more.
// notify_skip: to the engine (kumi_tcp). An application that does not accept its notifications
// blocks no other; their sessions' numbers are not reused meanwhile.
// Blocking: an application that does not accept responses or read data blocks the others meanwhile;
//   one with accepted writes, until it has sent their frames. The kernels of this project always
//   accept responses, read only what they can accept, and write only what they have.
// Refused here, without asking the engine: a port that another application owns (TCP_IN_USE), and
//   more than PORTS ports (TCP_NO_ROOM). Sessions on a port without owner are aborted.
// Requirements on the engine: the response to an open precedes the session's first notification;
//   responses on each stream are in order, except those to opens.
module kumi_tcp_app_mux
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W   = 64,  // bits of rx and tx
    parameter int CLIENTS  = 2,   // applications, 1..8
    parameter int SESSIONS = 64,  // session numbers of the engine, a power of two
    parameter int PORTS    = 16   // open ports of all applications
) (
    input logic clk,
    input logic rst,
    kumi_tcp_app_if s_app[CLIENTS],
    kumi_tcp_app_if m_eng,
    output logic notify_skip,
    output logic busy
);
  if (CLIENTS < 1 || CLIENTS > 8) begin : gen_check_clients
    $fatal(0, "CLIENTS must be 1..8 (%m)");
  end
  if (SESSIONS < 2 || SESSIONS > 2 ** SID_W || (SESSIONS & (SESSIONS - 1)) != 0)
  begin : gen_check_sessions
    $fatal(0, "SESSIONS must be a power of two, 2..65536 (%m)");
  end

  // ---- streams of the applications, as arrays -----------------------------------------------
  kumi_rec_if #(.W(LISTEN_W)) listen[CLIENTS] ();
  kumi_rec_if #(.W(LISTEN_RSP_W)) listen_rsp[CLIENTS] ();
  kumi_rec_if #(.W(OPEN_W)) open[CLIENTS] ();
  kumi_rec_if #(.W(OPEN_RSP_W)) open_rsp[CLIENTS] ();
  kumi_rec_if #(.W(CLOSE_W)) close[CLIENTS] ();
  kumi_rec_if #(.W(NOTIFY_W)) notify[CLIENTS] ();
  kumi_rec_if #(.W(READ_W)) read[CLIENTS] ();
  kumi_rec_if #(.W(READ_RSP_W)) read_rsp[CLIENTS] ();
  kumi_rec_if #(.W(WRITE_W)) write[CLIENTS] ();
  kumi_rec_if #(.W(WRITE_RSP_W)) write_rsp[CLIENTS] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W)
  ) rx[CLIENTS] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W)
  ) tx[CLIENTS] ();

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_client
    assign listen[i].data = s_app[i].listen.data;
    assign listen[i].valid = s_app[i].listen.valid;
    assign s_app[i].listen.ready = listen[i].ready;
    assign open[i].data = s_app[i].open.data;
    assign open[i].valid = s_app[i].open.valid;
    assign s_app[i].open.ready = open[i].ready;
    assign close[i].data = s_app[i].close.data;
    assign close[i].valid = s_app[i].close.valid;
    assign s_app[i].close.ready = close[i].ready;
    assign read[i].data = s_app[i].read.data;
    assign read[i].valid = s_app[i].read.valid;
    assign s_app[i].read.ready = read[i].ready;
    assign write[i].data = s_app[i].write.data;
    assign write[i].valid = s_app[i].write.valid;
    assign s_app[i].write.ready = write[i].ready;
    assign s_app[i].listen_rsp.data = listen_rsp[i].data;
    assign s_app[i].listen_rsp.valid = listen_rsp[i].valid;
    assign listen_rsp[i].ready = s_app[i].listen_rsp.ready;
    assign s_app[i].open_rsp.data = open_rsp[i].data;
    assign s_app[i].open_rsp.valid = open_rsp[i].valid;
    assign open_rsp[i].ready = s_app[i].open_rsp.ready;
    assign s_app[i].notify.data = notify[i].data;
    assign s_app[i].notify.valid = notify[i].valid;
    assign notify[i].ready = s_app[i].notify.ready;
    assign s_app[i].read_rsp.data = read_rsp[i].data;
    assign s_app[i].read_rsp.valid = read_rsp[i].valid;
    assign read_rsp[i].ready = s_app[i].read_rsp.ready;
    assign s_app[i].write_rsp.data = write_rsp[i].data;
    assign s_app[i].write_rsp.valid = write_rsp[i].valid;
    assign write_rsp[i].ready = s_app[i].write_rsp.ready;
    assign s_app[i].rx.tdata = rx[i].tdata;
    assign s_app[i].rx.tkeep = rx[i].tkeep;
    assign s_app[i].rx.tvalid = rx[i].tvalid;
    assign s_app[i].rx.tlast = rx[i].tlast;
    assign s_app[i].rx.tuser = rx[i].tuser;
    assign s_app[i].rx.tid = rx[i].tid;
    assign s_app[i].rx.tdest = rx[i].tdest;
    assign rx[i].tready = s_app[i].rx.tready;
    assign tx[i].tdata = s_app[i].tx.tdata;
    assign tx[i].tkeep = s_app[i].tx.tkeep;
    assign tx[i].tvalid = s_app[i].tx.tvalid;
    assign tx[i].tlast = s_app[i].tx.tlast;
    assign tx[i].tuser = s_app[i].tx.tuser;
    assign tx[i].tid = s_app[i].tx.tid;
    assign tx[i].tdest = s_app[i].tx.tdest;
    assign s_app[i].tx.tready = tx[i].tready;
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
      .s_listen(listen),
      .m_listen_rsp(listen_rsp),
      .s_open(open),
      .m_open_rsp(open_rsp),
      .m_eng_listen(m_eng.listen),
      .s_eng_listen_rsp(m_eng.listen_rsp),
      .m_eng_open(m_eng.open),
      .s_eng_open_rsp(m_eng.open_rsp),
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
      .s_eng_notify(m_eng.notify),
      .notify_skip,
      .m_notify(notify),
      .m_orphan(orphan),
      .ev_orphan,
      .busy(note_busy)
  );

  kumi_tcp_app_mux_read #(
      .CLIENTS(CLIENTS)
  ) u_read (
      .clk,
      .rst,
      .s_read(read),
      .m_read(read_rsp),
      .m_axis(rx),
      .m_eng_read(m_eng.read),
      .s_eng_read(m_eng.read_rsp),
      .s_eng_axis(m_eng.rx),
      .busy(read_busy)
  );

  kumi_tcp_app_mux_write #(
      .CLIENTS(CLIENTS)
  ) u_write (
      .clk,
      .rst,
      .s_write(write),
      .m_write(write_rsp),
      .s_axis(tx),
      .m_eng_write(m_eng.write),
      .s_eng_write(m_eng.write_rsp),
      .m_eng_axis(m_eng.tx),
      .busy(write_busy)
  );

  // ---- closes: of the applications, and of sessions without owner -----------------------------
  logic [CLIENTS:0] close_req, close_grant;
  logic [CLIENTS:0][CLOSE_W-1:0] close_data;
  logic [CLOSE_W-1:0] close_d;
  logic close_take;

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_close
    assign close_req[i]   = close[i].valid;
    assign close_data[i]  = close[i].data;
    assign close[i].ready = close_take && close_grant[i];
  end
  assign close_req[CLIENTS] = orphan.valid;
  assign close_data[CLIENTS] = orphan.data;
  assign orphan.ready = close_take && close_grant[CLIENTS];
  assign close_take = |close_req && (!m_eng.close.valid || m_eng.close.ready);

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
    if (m_eng.close.ready) m_eng.close.valid <= 1'b0;
    if (close_take) begin
      m_eng.close.valid <= 1'b1;
      m_eng.close.data  <= close_d;
    end
    if (rst) m_eng.close.valid <= 1'b0;
  end

  assign busy = ports_busy || note_busy || read_busy || write_busy || m_eng.close.valid;

  logic unused;
  assign unused = ev_orphan;
endmodule
