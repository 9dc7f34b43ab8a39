// SPDX-License-Identifier: Apache-2.0
//
// Reliable transport over Ethernet: messages arrive exactly once and in order at up to 1,024 peers,
// although the network loses, corrupts, duplicates and reorders frames (docs/blocks/eth-rtp.md).
//
// Structure: kumi_eth_rtp_tx_queue segments and admits messages, kumi_eth_rtp_tx_path builds
//   frames, kumi_eth_rtp_tx_recovery retransmits, kumi_eth_rtp_rx_path checks and delivers,
//   kumi_eth_rtp_ack_path schedules ACKs, kumi_eth_rtp_assoc opens and closes associations.
// Handshake: AXI4-Stream and record streams. m_msg may stall one peer's messages without loss;
//   s_msg stalls while its peer has no credit.
// Latency: see docs/blocks/eth-rtp.md. Throughput: frames back to back in both directions.
// Bad input: every received frame raises exactly one rx_* event; messages marked bad are aborted.
module kumi_eth_rtp
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS     = 64,   // entries of the peer table, 2..1024
    parameter int WINDOW    = 16,   // receive window of each peer in frames, 2..64, power of two
    parameter int TX_WINDOW = 16,   // maximum frames in flight to one peer, 2..64, power of two
    parameter int TX_SLOTS  = 32,   // slots of the retransmission buffer, power of two, 4..256
    parameter int MTU       = 9216  // bytes of the longest frame without FCS: size of the slots
) (
    input logic clk,
    input logic rst,

    kumi_rec_if.snk  set_source_addr,  // 48 bits
    kumi_rec_if.snk  set_peer,         // rtp_peer_t, 60 bits
    kumi_axis_if.snk s_msg,            // one message per frame, tdest: peer
    kumi_axis_if.src m_msg,            // tid: peer; tuser, 3 bits: {last, first, bad}
    kumi_rec_if.src  m_status,         // rtp_status_t, 16 bits

    kumi_axis_if.src m_frame,  // Ethernet frames without FCS
    kumi_axis_if.snk s_frame,

    input logic     [47:0] cfg_addr,  // own address until set_source_addr; constant during reset
    input rtp_cfg_t        cfg,

    // Two cycles after credit_peer: the peer is up; a single-frame message would be sent at once.
    input  logic [$clog2(PEERS)-1:0] credit_peer,
    output logic                     credit_up,
    output logic                     credit,

    output logic        busy,  // frames, timers or messages are in flight
    output rtp_events_t ev
);
  localparam int DATA_W = s_msg.DATA_W;
  localparam int KEEP_W = DATA_W / 8;
  localparam int PEER_W = $clog2(PEERS);
  localparam int SLOT_W = $clog2(TX_SLOTS);
  localparam int BYTES = MTU - RTP_HEADER;  // payload of a frame
  localparam int TX_WORDS = BYTES < KEEP_W ? 1 : BYTES / KEEP_W;  // frames sent carry whole words
  localparam int RX_WORDS = (BYTES + KEEP_W - 1) / KEEP_W;
  localparam int TX_DEPTH = TX_SLOTS * TX_WORDS;

  function automatic bit bad_power(input int x, input int low, input int high);
    return x < low || x > high || (x & (x - 1)) != 0;
  endfunction

  if (m_msg.DATA_W != DATA_W || m_frame.DATA_W != DATA_W || s_frame.DATA_W != DATA_W)
  begin : gen_check_if
    $fatal(0, "s_msg, m_msg, m_frame and s_frame differ in width (%m)");
  end
  if (set_source_addr.W != 48) begin : gen_check_source
    $fatal(0, "set_source_addr carries 48 bits (%m)");
  end
  if (PEERS < 2 || PEERS > 1024) begin : gen_check_peers
    $fatal(0, "PEERS must be 2..1024 (%m)");
  end
  if (bad_power(
          WINDOW, 2, RTP_MAX_WINDOW
      ) || bad_power(
          TX_WINDOW, 2, RTP_MAX_WINDOW
      ) || bad_power(
          TX_SLOTS, 4, 256
      )) begin : gen_check_window
    $fatal(0, "WINDOW and TX_WINDOW: 2..64, TX_SLOTS: 4..256, powers of two (%m)");
  end
  if (MTU < RTP_HEADER + KEEP_W || MTU > 9216) begin : gen_check_mtu
    $fatal(0, "MTU must be header and one word to 9216 (%m)");
  end

  typedef logic [PEER_W-1:0] peer_t;

  logic [47:0] src_q;
  logic [27:0] cycle_q;
  logic [23:0] tick;

  assign set_source_addr.ready = 1'b1;
  assign tick = cycle_q[27:$clog2(RTP_TICK)];

  always_ff @(posedge clk) begin
    cycle_q <= cycle_q + 28'd1;
    if (set_source_addr.valid) src_q <= set_source_addr.data;
    if (rst) begin
      src_q   <= cfg_addr;
      cycle_q <= '0;
    end
  end

  // Writes to the tables that several modules keep copies of.
  rtp_conn_wr_t conn_w;
  rtp_snd_nxt_wr_t snd_nxt_w;
  rtp_tx_win_wr_t tx_win_w;
  rtp_rcv_wr_t rcv_w;
  rtp_delivered_wr_t delivered_w;
  rtp_advertised_wr_t advertised_w;
  logic slot_map_wr, slot_info_wr, tx_record_wr, msg_open_wr, msg_open_data;
  logic [PEER_W+$clog2(TX_WINDOW)-1:0] slot_map_addr;
  logic [SLOT_W-1:0] slot_map_data, tx_record_slot;
  logic [15:0] slot_info_data;
  rtp_tx_record_t tx_record_data;
  peer_t msg_open_peer;

  // Association engine
  peer_t conn_peer, op_peer, drained;
  logic op_rx, op_rx_ready, op_clear, op_win, op_win_init, op_win_done, init_done;
  rtp_deliver_cmd_e op_kind;
  logic [6:0] op_limit;
  logic drained_valid, drained_ready, assoc_waiting;
  rtp_assoc_event_t assoc_event;
  logic assoc_event_valid, assoc_event_ready;
  rtp_handshake_t handshake;
  logic handshake_valid, handshake_ready, handshake_ack_valid;
  rtp_ack_req_t handshake_ack;
  logic [11:0] dead_peer, fail_peer;
  logic [19:0] dead_gen;
  logic dead_valid, dead_ready, fail_valid, fail_ready;

  // Addresses
  peer_t entry_addr_peer, lookup_hint, lookup_peer, queue_peer, tx_peer;
  logic [47:0] addr_data, entry_addr, queue_addr, tx_addr;
  logic addr_wr, addr_used, lookup_start, lookup_found, lookup_missing;

  // Transmit
  logic buf_w_en, data_desc_valid, data_desc_ready, freed_valid, rtx_valid, rtx_ready;
  logic [$clog2(TX_DEPTH)-1:0] buf_w_addr;
  logic [DATA_W-1:0] buf_w_data;
  rtp_tx_desc_t data_desc;
  logic [7:0] freed_slot;
  rtp_rtx_t rtx;
  logic win_waiting, line_idle, line_done;

  // Acknowledgements
  rtp_rx_ack_t acked;
  rtp_ack_req_t probe, rx_ack_req, window_update, ack_req;
  logic acked_valid, acked_ready, probe_valid, rx_ack_req_valid, window_update_valid;
  logic ack_req_valid, ack_req_ready, ack_waiting;

  // Events
  logic ev_known_peer, ev_unknown_peer, ev_up, ev_down_timeout, ev_down_restart, ev_down_closed;
  logic ev_bad, ev_message, ev_lost, ev_timeout, ev_spurious_rtx, ev_bad_ack;
  logic ev_data, ev_retransmit, ev_ack, ev_hello, ev_reset;
  rtp_events_t ev_rx;

  assign conn_w.peer = 12'(conn_peer);

  // ---- Associations and addresses ---------------------------------------------------------------
  kumi_eth_rtp_assoc #(
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_assoc (
      .clk,
      .rst,
      .cfg,
      .tick,
      .set_peer,
      .m_status,
      .assoc_event,
      .assoc_event_valid,
      .assoc_event_ready,
      .dead_peer,
      .dead_gen,
      .dead_valid,
      .dead_ready,
      .drained,
      .drained_valid,
      .drained_ready,
      .fail_peer,
      .fail_valid,
      .fail_ready,
      .table_wr(conn_w.en),
      .table_peer(conn_peer),
      .table_conn(conn_w.conn),
      .table_tags(conn_w.tags),
      .addr_wr,
      .addr_used,
      .addr(addr_data),
      .entry_addr_peer,
      .entry_addr,
      .lookup_start,
      .lookup_hint,
      .lookup_found,
      .lookup_missing,
      .lookup_peer,
      .rx_valid(op_rx),
      .rx_ready(op_rx_ready),
      .rx_kind(op_kind),
      .op_peer,
      .init_done,
      .clear_valid(op_clear),
      .win_valid(op_win),
      .win_init(op_win_init),
      .win_limit(op_limit),
      .win_done(op_win_done),
      .line_idle,
      .line_done,
      .handshake,
      .handshake_valid,
      .handshake_ready,
      .ack_req(handshake_ack),
      .ack_req_valid(handshake_ack_valid),
      .waiting(assoc_waiting),
      .ev_known_peer,
      .ev_unknown_peer,
      .ev_up,
      .ev_down_timeout,
      .ev_down_restart,
      .ev_down_closed
  );

  kumi_eth_rtp_addr_lookup #(
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_addr_lookup (
      .clk,
      .rst,
      .wr_en(addr_wr),
      .wr_peer(conn_peer),
      .wr_used(addr_used),
      .wr_addr(addr_data),
      .a_peer(queue_peer),
      .a_addr(queue_addr),
      .b_peer(tx_peer),
      .b_addr(tx_addr),
      .entry_addr_peer,
      .entry_addr,
      .start(lookup_start),
      .start_addr(assoc_event.addr),
      .hint(lookup_hint),
      .found(lookup_found),
      .missing(lookup_missing),
      .peer(lookup_peer)
  );

  // ---- Transmit ---------------------------------------------------------------------------------
  kumi_eth_rtp_tx_queue #(
      .PEERS(PEERS),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .MTU(MTU),
      .WORDS(TX_WORDS),
      .DEPTH(TX_DEPTH),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_queue (
      .clk,
      .rst,
      .s_msg,
      .cfg_mtu(cfg.mtu),
      .buf_w_en,
      .buf_w_addr,
      .buf_w_data,
      .conn_w,
      .tx_win_w,
      .rcv_w,
      .addr_peer(queue_peer),
      .addr(queue_addr),
      .snd_nxt_w,
      .slot_map_wr,
      .slot_map_addr,
      .slot_map_data,
      .slot_info_wr,
      .slot_info_data,
      .clear(op_clear),
      .clear_peer(op_peer),
      .freed_slot,
      .freed_valid,
      .m_desc(data_desc),
      .m_valid(data_desc_valid),
      .m_ready(data_desc_ready),
      .fail_peer,
      .fail_valid,
      .fail_ready,
      .credit_peer,
      .credit_up,
      .credit,
      .ev_bad,
      .ev_message
  );

  kumi_eth_rtp_tx_recovery #(
      .PEERS(PEERS),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_recovery (
      .clk,
      .rst,
      .cfg,
      .tick,
      .acked,
      .acked_valid,
      .acked_ready,
      .op_valid(op_win),
      .op_init (op_win_init),
      .op_peer,
      .op_limit,
      .op_done (op_win_done),
      .conn_w,
      .snd_nxt_w,
      .slot_map_wr,
      .slot_map_addr,
      .slot_map_data,
      .msg_open_wr,
      .msg_open_peer,
      .msg_open_data,
      .tx_record_wr,
      .tx_record_slot,
      .tx_record_data,
      .tx_win_w,
      .freed_slot,
      .freed_valid,
      .rtx,
      .rtx_valid,
      .rtx_ready,
      .probe,
      .probe_valid,
      .dead_peer,
      .dead_gen,
      .dead_valid,
      .dead_ready,
      .waiting (win_waiting),
      .ev_lost,
      .ev_timeout,
      .ev_spurious_rtx,
      .ev_bad_ack
  );

  kumi_eth_rtp_tx_path #(
      .WINDOW(WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .WORDS(TX_WORDS),
      .DEPTH(TX_DEPTH),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_path (
      .clk,
      .rst,
      .src(src_q),
      .tick,
      .data_desc,
      .data_desc_valid,
      .data_desc_ready,
      .handshake,
      .handshake_valid,
      .handshake_ready,
      .ack_req,
      .ack_req_valid,
      .ack_req_ready,
      .rtx,
      .rtx_valid,
      .rtx_ready,
      .buf_w_en,
      .buf_w_addr,
      .buf_w_data,
      .conn_w,
      .rcv_w,
      .delivered_w,
      .slot_info_wr,
      .slot_info_slot(slot_map_data),
      .slot_info_data,
      .addr_peer(tx_peer),
      .addr(tx_addr),
      .tx_record_wr,
      .tx_record_slot,
      .tx_record_data,
      .advertised_w,
      .m_frame,
      .idle(line_idle),
      .done(line_done),
      .ev_data,
      .ev_retransmit,
      .ev_ack,
      .ev_hello,
      .ev_reset
  );

  // ---- Receive ----------------------------------------------------------------------------------
  kumi_eth_rtp_rx_path #(
      .PEERS (PEERS),
      .WINDOW(WINDOW),
      .WORDS (RX_WORDS),
      .BYTES (BYTES),
      .PEER_W(PEER_W)
  ) u_rx_path (
      .clk,
      .rst,
      .s_frame,
      .m_msg,
      .conn_w,
      .snd_nxt_w,
      .advertised_w,
      .rcv_w,
      .delivered_w,
      .msg_open_wr,
      .msg_open_peer,
      .msg_open_data,
      .op_valid(op_rx),
      .op_ready(op_rx_ready),
      .op_kind,
      .op_peer,
      .drained,
      .drained_valid,
      .drained_ready,
      .init_done,
      .assoc_event,
      .assoc_event_valid,
      .assoc_event_ready,
      .acked,
      .acked_valid,
      .acked_ready,
      .ack_req(rx_ack_req),
      .ack_req_valid(rx_ack_req_valid),
      .window_update,
      .window_update_valid,
      .ev(ev_rx)
  );

  // ---- Acknowledgements -------------------------------------------------------------------------
  kumi_eth_rtp_ack_path #(
      .WINDOW(WINDOW),
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_ack_path (
      .clk,
      .rst,
      .tick(tick[15:0]),
      .cfg_delay(cfg.ack_delay),
      .rx(rx_ack_req),
      .rx_valid(rx_ack_req_valid),
      .window_update,
      .window_update_valid,
      .probe,
      .probe_valid,
      .handshake(handshake_ack),
      .handshake_valid(handshake_ack_valid),
      .conn_w,
      .rcv_w,
      .delivered_w,
      .advertised_w,
      .waiting(ack_waiting),
      .m_req(ack_req),
      .m_valid(ack_req_valid),
      .m_ready(ack_req_ready)
  );

  // ---- Events and activity ----------------------------------------------------------------------
  always_comb begin
    ev               = ev_rx;
    ev.tx_message    = ev_message;
    ev.tx_failed     = fail_valid && fail_ready;
    ev.tx_bad        = ev_bad;
    ev.tx_data       = ev_data;
    ev.tx_retransmit = ev_retransmit;
    ev.tx_ack        = ev_ack;
    ev.tx_hello      = ev_hello;
    ev.tx_reset      = ev_reset;
    ev.lost          = ev_lost;
    ev.timeout       = ev_timeout;
    ev.spurious_rtx  = ev_spurious_rtx;
    ev.rx_hello      = ev_known_peer;
    ev.rx_unknown    = ev_unknown_peer;
    ev.rx_bad_ack    = ev_rx.rx_bad_ack || ev_bad_ack;
    ev.up            = ev_up;
    ev.down_timeout  = ev_down_timeout;
    ev.down_restart  = ev_down_restart;
    ev.down_closed   = ev_down_closed;
  end

  // The scanners' results are up to a round old, so busy lingers for more than a round.
  logic [PEER_W+5:0] linger_q;
  logic active;
  assign active = s_msg.tvalid || m_msg.tvalid || m_frame.tvalid || s_frame.tvalid
      || set_peer.valid || m_status.valid || assoc_waiting || win_waiting || ack_waiting;
  assign busy = linger_q != '0;

  always_ff @(posedge clk) begin
    if (active) linger_q <= '1;
    else if (linger_q != '0) linger_q <= linger_q - 1'b1;
    if (rst) linger_q <= '1;
  end

endmodule
