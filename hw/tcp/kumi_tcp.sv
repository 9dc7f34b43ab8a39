// SPDX-License-Identifier: Apache-2.0
//
// TCP engine (RFC 9293) between an IP stack and an application.
//
//   s_ip_hdr, s_ip -> rx_path: parse, check, look up -> core: TCP state machine
//                        \-> payload -> rx_mem: receive rings -> s_app.notify, read, rx
//   m_ip_hdr, m_ip <- tx_path: header, checksum <- transmit rings <- tx_mem <- s_app.write, tx
//
// s_ip_hdr, s_ip, m_ip_hdr, m_ip: ip_hdr_t and packets of protocol 6, connected to m_ip_hdr, m_ip,
//   s_ip_hdr, s_ip of kumi_ip_stack.
// s_app: the application (kumi_tcp_app_if). Each request has one response, in the order of the
//   requests (opens: in any order). rx must be accepted eventually; pending notifications of a
//   session coalesce and block nothing (kumi_tcp_notify_coalesce). notify_skip: instead of ready,
//   the notification of another session is wanted first.
// m_axi_rx, m_axi_tx: AXI4 memory of the receive and the transmit rings, one ring of RX_RING or
//   TX_RING bytes per session, starting at rx_base and tx_base. With ON_CHIP = 1 the rings are
//   internal and both ports are idle.
// ready: the tables are clear (thousands of cycles after reset); until then segments are dropped.
// sessions: number in use; time_wait: of these, in TIME-WAIT. busy: work is in progress, or a timer
//   other than keep-alive or TIME-WAIT runs.
// Bad input: dropped and counted; each packet has exactly one outcome (tcp_events_t).
// Latency and throughput: see docs/blocks/tcp-engine.md.
module kumi_tcp
  import kumi_tcp_pkg::*;
  import kumi_tcp_ev_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int SESSIONS = 16,  // a power of two, 4..16384
    parameter int TX_RING = 16384,  // bytes per session, a power of two, 4096 or more
    parameter int RX_RING = 16384,  // bytes per session, a power of two, 4096 or more
    parameter int OOO_RANGES = 4,  // out-of-order ranges per session and direction, 1..4
    parameter bit CUBIC = 1'b0,  // 1: CUBIC is built in
    parameter int TX_QUEUE = 0,  // queued segments to send, a power of two; 0: a few
    parameter bit ON_CHIP = 1'b1,  // 1: rings in on-chip memory, 0: at m_axi_rx and m_axi_tx
    parameter int MTU = 9000,  // longest IP packet in either direction; sizes the segment buffers
    parameter int PAYLOAD_BUF_BYTES = 4 * 2 ** $clog2(MTU),  // received payload until its verdict
    parameter int ADDR_W = 32  // bits of a memory address
) (
    input  logic                         clk,
    input  logic                         rst,
    input  tcp_cfg_t                     cfg,
    input  logic            [ADDR_W-1:0] rx_base,
    input  logic            [ADDR_W-1:0] tx_base,
    output logic                         ready,
    output logic            [      15:0] sessions,
    output logic            [      15:0] time_wait,
    output logic            [      31:0] now_us,
    output logic                         busy,
    output tcp_events_t                  ev,
           kumi_rec_if.snk               s_ip_hdr,
           kumi_axis_if.snk              s_ip,
           kumi_rec_if.src               m_ip_hdr,
           kumi_axis_if.src              m_ip,
           kumi_tcp_app_if               s_app,
    input  logic                         notify_skip,
           kumi_axi_if.mst               m_axi_rx,
           kumi_axi_if.mst               m_axi_tx
);
  localparam int OPEN = ON_CHIP ? 16 : 256;  // outstanding bursts
  localparam int READ_BEATS = ON_CHIP ? 0 : 512;
  // Two of the longest segments, or what the memory latency needs.
  localparam int HOLD_MTU = 2 * 2 ** $clog2(MTU);
  localparam int HOLD_BYTES = HOLD_MTU > 128 * DATA_W ? HOLD_MTU : 128 * DATA_W;

  kumi_tcp_timebase_us u_clock (
      .clk,
      .rst,
      .period_ps(cfg.period_ps),
      .now_us
  );

  // ---- receive path ---------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(tcp_seg_lookup_t))) found ();
  kumi_rec_if #(.W($bits(tcp_seg_lookup_t))) miss ();
  kumi_rec_if #(.W($bits(tcp_table_req_t))) table_req ();
  kumi_rec_if #(.W($bits(tcp_table_rsp_t))) table_rsp ();
  kumi_axis_if #(.DATA_W(DATA_W)) payload ();

  kumi_tcp_rx_path #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .PAYLOAD_BUF_BYTES(PAYLOAD_BUF_BYTES)
  ) u_front (
      .clk,
      .rst,
      .cfg,
      .s_hdr  (s_ip_hdr),
      .s_axis (s_ip),
      .m_hit  (found),
      .m_miss (miss),
      .m_axis (payload),
      .s_table(table_req),
      .m_table(table_rsp),
      .ready,
      .ev     (ev.rx)
  );

  // ---- core -----------------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(tcp_rx_cmd_t))) rx_cmd ();
  kumi_rec_if #(.W($bits(tcp_rx_done_t))) rx_done ();
  kumi_rec_if #(.W($bits(tcp_tx_space_t))) room ();
  kumi_rec_if #(.W($bits(tcp_tx_data_t))) tx_data ();
  kumi_rec_if #(.W($bits(tcp_tx_t))) tx ();
  logic core_busy, rx_busy, tx_mem_busy, tx_busy;

  kumi_tcp_core #(
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .RX_RING(RX_RING),
      .OOO_RANGES(OOO_RANGES),
      .CUBIC(CUBIC)
  ) u_core (
      .clk,
      .rst,
      .s_hit(found),
      .s_miss(miss),
      .m_table(table_req),
      .s_table(table_rsp),
      .m_rx_cmd(rx_cmd),
      .s_rx_done(rx_done),
      .m_tx_space(room),
      .s_tx_data(tx_data),
      .m_tx(tx),
      .s_listen(s_app.listen),
      .m_listen_rsp(s_app.listen_rsp),
      .s_open(s_app.open),
      .m_open_rsp(s_app.open_rsp),
      .cfg,
      .now_us,
      .sessions,
      .time_wait,
      .busy(core_busy),
      .ev(ev.core)
  );

  // ---- rings ----------------------------------------------------------------------------------
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) rx_axi ();
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) tx_axi ();
  kumi_rec_if #(.W(CLOSE_W)) fault ();

  kumi_tcp_rx_mem #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .RX_RING(RX_RING),
      .ADDR_W(ADDR_W),
      .EARLY(ON_CHIP ? 1 : 0),
      .OPEN(OPEN),
      .READ_BEATS(READ_BEATS)
  ) u_rx_mem (
      .clk,
      .rst,
      .base    (ON_CHIP ? '0 : rx_base),
      .s_axis  (payload),
      .s_cmd   (rx_cmd),
      .m_done  (rx_done),
      .m_notify(s_app.notify),
      .notify_skip,
      .s_read  (s_app.read),
      .m_read  (s_app.read_rsp),
      .m_axis  (s_app.rx),
      .m_fault (fault),
      .m_axi   (rx_axi),
      .busy    (rx_busy),
      .ev      (ev.rx_mem)
  );

  kumi_tcp_tx_mem #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .ADDR_W(ADDR_W),
      .EARLY(ON_CHIP ? 1 : 0),
      .OPEN(OPEN)
  ) u_tx_mem (
      .clk,
      .rst,
      .base      (ON_CHIP ? '0 : tx_base),
      .s_tx_space(room),
      .m_data    (tx_data),
      .s_write   (s_app.write),
      .m_write   (s_app.write_rsp),
      .s_axis    (s_app.tx),
      .s_close   (s_app.close),
      .s_fault   (fault),
      .m_axi     (tx_axi),
      .busy      (tx_mem_busy),
      .ev        (ev.tx_mem)
  );

  // ---- queue of segments to send --------------------------------------------------------------
  // Keeps the line busy while a window reduced after a loss drains.
  kumi_rec_if #(.W($bits(tcp_tx_t))) waiting ();
  logic queue_busy;
  if (TX_QUEUE != 0) begin : gen_queue
    logic [$clog2(TX_QUEUE):0] depth;
    logic [1:0] held_q;  // one may be in the memory's registers
    kumi_rec_fifo #(
        .DEPTH(TX_QUEUE)
    ) u_queue (
        .clk,
        .rst,
        .s_hdr(tx),
        .m_hdr(waiting),
        .depth
    );
    always_ff @(posedge clk) begin
      held_q <= {held_q[0], depth != '0};
      if (rst) held_q <= '0;
    end
    assign queue_busy = depth != '0 || held_q != '0;
  end else begin : gen_straight
    assign waiting.data = tx.data;
    assign waiting.valid = tx.valid;
    assign tx.ready = waiting.ready;
    assign queue_busy = 1'b0;
  end

  // ---- transmit path --------------------------------------------------------------------------
  kumi_tcp_tx_path #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .ADDR_W(ADDR_W),
      .HOLD_BYTES(HOLD_BYTES)
  ) u_tx (
      .clk,
      .rst,
      .cfg,
      .ring_base(ON_CHIP ? '0 : tx_base),
      .s_tx(waiting),
      .m_axi(tx_axi),
      .m_hdr(m_ip_hdr),
      .m_axis(m_ip),
      .busy(tx_busy),
      .ev(ev.tx)
  );

  // ---- memory ---------------------------------------------------------------------------------
  kumi_tcp_ring_mem #(
      .BYTES  (SESSIONS * RX_RING),
      .ON_CHIP(ON_CHIP)
  ) u_rx_rings (
      .clk,
      .rst,
      .s_axi(rx_axi),
      .m_axi(m_axi_rx)
  );

  kumi_tcp_ring_mem #(
      .BYTES  (SESSIONS * TX_RING),
      .ON_CHIP(ON_CHIP)
  ) u_tx_rings (
      .clk,
      .rst,
      .s_axi(tx_axi),
      .m_axi(m_axi_tx)
  );

  assign busy = core_busy || rx_busy || tx_mem_busy || tx_busy || found.valid || miss.valid ||
      waiting.valid || queue_busy;
endmodule
