// SPDX-License-Identifier: Apache-2.0
//
// Ethernet transport: messages arrive exactly once and in order at up to 1,024 peers, over Ethernet
// that loses, corrupts, doubles and reorders frames. Format, rules: docs/blocks/eth-rtp.md.
module kumi_eth_rtp
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS     = 64,   // entries of the peer table, 2..1024
    parameter int WINDOW    = 16,   // receive window of each peer in frames, 2..64, power of two
    parameter int TX_WINDOW = 16,   // frames under way to one peer at most, 2..64, power of two
    parameter int TX_SLOTS  = 32,   // frames that wait for acknowledgement, power of two, 4..256
    parameter int MTU       = 9216  // bytes of the longest frame without FCS: size of the slots
) (
    input logic clk,
    input logic rst,

    kumi_rec_if.snk  set_source_addr,  // 48 bits
    kumi_rec_if.snk  set_peer,         // rtp_peer_t, 60 bits
    kumi_axis_if.snk s_msg,            // a frame a message, tdest: peer
    kumi_axis_if.src m_msg,            // tid: peer; tuser, 3 bits: {last, first, bad}
    kumi_rec_if.src  m_status,         // rtp_status_t, 16 bits

    kumi_axis_if.src m_frame,  // Ethernet frames without FCS
    kumi_axis_if.snk s_frame,

    input logic    [47:0] cfg_addr,  // own address until set_source_addr; constant during reset
    input rtp_cfg_t        cfg,

    // Two cycles after credit_peer: that peer is up; a message of one frame would be sent at once.
    input  logic [$clog2(PEERS)-1:0] credit_peer,
    output logic                     credit_up,
    output logic                     credit,

    output logic       busy,  // frames, timers or messages are under way
    output rtp_events_t ev
);
  localparam int DATA_W = s_msg.DATA_W;
  localparam int KEEP_W = DATA_W / 8;
  localparam int PEER_W = $clog2(PEERS);
  localparam int SLOT_W = $clog2(TX_SLOTS);
  localparam int RX_W = PEER_W + $clog2(WINDOW);  // number of a slot of the receive window
  localparam int BYTES = MTU - RTP_HEADER;  // payload of a frame
  localparam int TX_WORDS = BYTES < KEEP_W ? 1 : BYTES / KEEP_W;  // own frames carry whole words
  localparam int RX_WORDS = (BYTES + KEEP_W - 1) / KEEP_W;
  localparam int TX_DEPTH = TX_SLOTS * TX_WORDS;
  localparam int RX_DEPTH = (1 << RX_W) * RX_WORDS;
  localparam int COUNT_W = 15 - $clog2(KEEP_W);

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

  // ---- Signals, by who drives them --------------------------------------------------------------
  // associations
  logic conn_wr, addr_wr, addr_used;
  peer_t conn_peer, op_peer;
  rtp_conn_t conn_data, conn_admit, conn_ctrl, conn_win;
  rtp_tags_t tags_data, tags_rx;
  logic [47:0] addr_data, addr_admit, addr_ctrl;
  logic op_rx, op_rx_ready, op_clear, op_win, op_win_init, op_win_done, init_done;
  rtp_deliver_cmd_e op_kind;
  logic [6:0] op_limit;
  rtp_handshake_t handshake;
  logic handshake_valid, handshake_ready, handshake_ack_valid, assoc_waiting;
  rtp_ack_req_t handshake_ack;
  // segmenter, admission
  rtp_seg_t seg;
  logic seg_valid, seg_ready, seg_slot, seg_more;
  logic [11:0] live_peer;
  peer_t admit_peer, snd_nxt_peer;
  logic snd_nxt_wr, map_wr, tx_info_wr, fail_valid, fail_ready;
  logic [31:0] snd_nxt_data, snd_nxt_admit, snd_nxt_win, snd_nxt_rx, snd_una_admit, limit_admit, rcv_nxt_admit;
  logic [PEER_W+$clog2(TX_WINDOW)-1:0] map_addr, map_rd;
  logic [SLOT_W-1:0] map_data, map_win;
  logic [15:0] tx_info_data, tx_info;
  logic [11:0] fail_peer;
  rtp_tx_desc_t data_desc, ctrl_desc;
  logic data_desc_valid, data_desc_ready, ctrl_desc_valid, ctrl_desc_ready;
  logic [7:0] free_slot, slot_a, slot_b;
  logic free_valid, free_ready, slot_a_valid, slot_a_ready, slot_b_valid, slot_b_ready;
  // transmit window
  peer_t win_peer, tx_win_peer;
  logic tx_win_wr, win_waiting, open_win;
  logic [31:0] tx_win_una, tx_win_limit;
  logic [SLOT_W-1:0] sent_rd;
  rtp_tx_record_t sent_win;
  rtp_rtx_t rtx_in, rtx;
  logic rtx_in_valid, rtx_in_ready, rtx_valid, rtx_ready;
  rtp_ack_req_t probe;
  logic probe_valid, dead_valid, dead_ready;
  logic [11:0] dead_peer;
  logic [19:0] dead_gen;
  // frames to the line
  peer_t ctrl_peer, advertised_peer;
  logic [SLOT_W-1:0] ctrl_slot, sent_slot;
  logic sent_wr, advertised_wr, advertised_full, line_idle, line_done;
  rtp_tx_record_t sent_data;
  logic [7:0] advertised_ack, advertised_limit, advertised_ack_scan, advertised_limit_scan, advertised_limit_deliver;
  logic [31:0] rcv_nxt_ctrl;
  logic [WINDOW-1:0] sack_ctrl;
  // receiver
  peer_t rx_peer, rcv_peer;
  logic rcv_wr, rx_info_wr;
  logic [31:0] rcv_nxt;
  logic [WINDOW-1:0] rcv_sack;
  logic [RX_W-1:0] rx_info_addr, rx_info_rd;
  logic [15:0] rx_info_data, rx_info;
  rtp_deliver_cmd_t deliver_in, deliver;
  logic deliver_in_valid, deliver_in_ready, deliver_valid, deliver_ready;
  rtp_rx_ack_t acked_in, acked;
  logic acked_in_valid, acked_in_ready, acked_valid, acked_ready;
  rtp_assoc_event_t assoc_event_in, assoc_event;
  logic assoc_event_in_valid, assoc_event_in_ready, assoc_event_valid, assoc_event_ready;
  rtp_ack_req_t rx_ack_req, ack_req, window_update;
  logic rx_ack_req_valid, ack_req_valid, ack_req_ready, window_update_valid;
  // delivery
  peer_t delivered_peer, open_peer, advertised_rd, drained, scan_peer;
  logic delivered_wr, open_wr, open_data, drained_valid, drained_ready, ack_waiting, up_scan;
  logic [7:0] delivered_data, delivered_rx, delivered_ctrl, delivered_scan, rcv_nxt_scan;
  // stores
  logic tx_w, rx_w, tx_start, tx_start_ready, rx_start, rx_start_ready;
  logic [$clog2(TX_DEPTH)-1:0] tx_w_addr;
  logic [$clog2(RX_DEPTH)-1:0] rx_w_addr;
  logic [DATA_W-1:0] tx_w_data, rx_w_data, tx_data, rx_data;
  logic [31:0] tx_base, rx_base;
  logic [13:0] tx_count, rx_count;
  logic tx_valid, tx_ready, rx_valid, rx_ready;
  // events
  logic ev_known_peer, ev_unknown_peer, ev_up, ev_down_timeout, ev_down_restart, ev_down_closed, ev_bad, ev_message;
  logic ev_lost, ev_timeout, ev_spurious_rtx, ev_bad_ack;
  logic ev_data, ev_retransmit, ev_ack, ev_hello, ev_reset;
  rtp_events_t ev_rx;

  // ---- Associations and addresses ---------------------------------------------------------------
  peer_t entry_addr_peer, lookup_hint, lookup_peer;
  logic [47:0] entry_addr;
  logic lookup_start, lookup_found, lookup_missing;

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
      .table_wr(conn_wr),
      .table_peer(conn_peer),
      .table_conn(conn_data),
      .table_tags(tags_data),
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
      .a_peer(admit_peer),
      .a_addr(addr_admit),
      .b_peer(ctrl_peer),
      .b_addr(addr_ctrl),
      .entry_addr_peer,
      .entry_addr,
      .start(lookup_start),
      .start_addr(assoc_event.addr),
      .hint(lookup_hint),
      .found(lookup_found),
      .missing(lookup_missing),
      .peer(lookup_peer)
  );

  kumi_eth_rtp_ram #(
      .W($bits(rtp_conn_t)),
      .DEPTH(1 << PEER_W)
  ) u_conn_admit (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(conn_data),
      .rd_addr(admit_peer),
      .rd_data(conn_admit)
  );

  kumi_eth_rtp_ram #(
      .W($bits(rtp_conn_t)),
      .DEPTH(1 << PEER_W)
  ) u_conn_ctrl (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(conn_data),
      .rd_addr(ctrl_peer),
      .rd_data(conn_ctrl)
  );

  kumi_eth_rtp_ram #(
      .W($bits(rtp_conn_t)),
      .DEPTH(1 << PEER_W)
  ) u_conn_win (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(conn_data),
      .rd_addr(win_peer),
      .rd_data(conn_win)
  );

  kumi_eth_rtp_ram #(
      .W(1),
      .DEPTH(1 << PEER_W)
  ) u_conn_scan (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(conn_data.up),
      .rd_addr(scan_peer),
      .rd_data(up_scan)
  );

  kumi_eth_rtp_ram #(
      .W($bits(rtp_tags_t)),
      .DEPTH(1 << PEER_W)
  ) u_tags_rx (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(tags_data),
      .rd_addr(rx_peer),
      .rd_data(tags_rx)
  );

  // ---- Messages into the retransmission store ---------------------------------------------------
  kumi_eth_rtp_free_list #(
      .SLOTS(TX_SLOTS)
  ) u_free_list (
      .clk,
      .rst,
      .a_slot (slot_b),
      .a_valid(slot_b_valid),
      .a_ready(slot_b_ready),
      .b_slot (slot_a),
      .b_valid(slot_a_valid),
      .b_ready(slot_a_ready),
      .m_slot (free_slot),
      .m_valid(free_valid),
      .m_ready(free_ready)
  );

  kumi_eth_rtp_tx_segmenter #(
      .PEERS(PEERS),
      .MTU  (MTU),
      .WORDS(TX_WORDS),
      .DEPTH(TX_DEPTH)
  ) u_tx_segmenter (
      .clk,
      .rst,
      .s_msg,
      .cfg_mtu(cfg.mtu),
      .free_slot,
      .free_valid,
      .free_ready,
      .w_en(tx_w),
      .w_addr(tx_w_addr),
      .w_data(tx_w_data),
      .seg,
      .seg_valid,
      .seg_ready,
      .live_peer,
      .slot_ready(seg_slot),
      .in_message(seg_more),
      .ev_bad
  );

  kumi_eth_rtp_payload_buf #(
      .DATA_W (DATA_W),
      .DEPTH  (TX_DEPTH),
      .COUNT_W(COUNT_W)
  ) u_rtx_buf (
      .clk,
      .rst,
      .w_en(tx_w),
      .w_addr(tx_w_addr),
      .w_data(tx_w_data),
      .start(tx_start),
      .start_ready(tx_start_ready),
      .start_base($clog2(TX_DEPTH)'(tx_base)),
      .start_words(COUNT_W'(tx_count)),
      .m_data(tx_data),
      .m_valid(tx_valid),
      .m_ready(tx_ready)
  );

  kumi_eth_rtp_tx_admission #(
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_admission (
      .clk,
      .rst,
      .seg,
      .seg_valid,
      .seg_ready,
      .more(s_msg.tvalid),
      .peek_peer(live_peer),
      .rd_peer(admit_peer),
      .conn(conn_admit),
      .addr(addr_admit),
      .snd_una(snd_una_admit),
      .limit(limit_admit),
      .snd_nxt(snd_nxt_admit),
      .ack(rcv_nxt_admit),
      .snd_nxt_wr,
      .snd_nxt_peer,
      .snd_nxt_data,
      .map_wr,
      .map_addr,
      .map_data,
      .info_wr(tx_info_wr),
      .info_data(tx_info_data),
      .clear(op_clear),
      .clear_peer(op_peer),
      .m_send(data_desc),
      .m_valid(data_desc_valid),
      .m_ready(data_desc_ready),
      .free_slot(slot_a),
      .free_valid(slot_a_valid),
      .free_ready(slot_a_ready),
      .fail_peer,
      .fail_valid,
      .fail_ready,
      .ev_message
  );

  kumi_eth_rtp_ram #(
      .W(64),
      .DEPTH(1 << PEER_W)
  ) u_tx_win_admit (
      .clk,
      .wr_en  (tx_win_wr),
      .wr_addr(tx_win_peer),
      .wr_data({tx_win_una, tx_win_limit}),
      .rd_addr(admit_peer),
      .rd_data({snd_una_admit, limit_admit})
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_snd_nxt_admit (
      .clk,
      .wr_en  (snd_nxt_wr),
      .wr_addr(snd_nxt_peer),
      .wr_data(snd_nxt_data),
      .rd_addr(admit_peer),
      .rd_data(snd_nxt_admit)
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_snd_nxt_win (
      .clk,
      .wr_en  (snd_nxt_wr),
      .wr_addr(snd_nxt_peer),
      .wr_data(snd_nxt_data),
      .rd_addr(win_peer),
      .rd_data(snd_nxt_win)
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_snd_nxt_rx (
      .clk,
      .wr_en  (snd_nxt_wr),
      .wr_addr(snd_nxt_peer),
      .wr_data(snd_nxt_data),
      .rd_addr(rx_peer),
      .rd_data(snd_nxt_rx)
  );

  kumi_eth_rtp_ram #(
      .W(SLOT_W),
      .DEPTH((1 << PEER_W) * TX_WINDOW)
  ) u_map (
      .clk,
      .wr_en  (map_wr),
      .wr_addr(map_addr),
      .wr_data(map_data),
      .rd_addr(map_rd),
      .rd_data(map_win)
  );

  kumi_eth_rtp_ram #(
      .W(16),
      .DEPTH(TX_SLOTS)
  ) u_tx_info (
      .clk,
      .wr_en  (tx_info_wr),
      .wr_addr(map_data),
      .wr_data(tx_info_data),
      .rd_addr(ctrl_slot),
      .rd_data(tx_info)
  );

  kumi_eth_rtp_tx_credit_query #(
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W)
  ) u_tx_credit_query (
      .clk,
      .conn_wr,
      .conn_peer,
      .conn_up(conn_data.up),
      .tx_win_wr,
      .tx_win_peer,
      .tx_win_una(tx_win_una[7:0]),
      .tx_win_limit(tx_win_limit[7:0]),
      .snd_nxt_wr,
      .snd_nxt_peer,
      .snd_nxt_data(snd_nxt_data[7:0]),
      .slot(seg_slot),
      .pending({seg_valid && seg_more, seg_valid != seg_more}),
      .peer(credit_peer),
      .up(credit_up),
      .credit
  );

  // ---- Transmit window --------------------------------------------------------------------------
  kumi_eth_rtp_tx_window #(
      .PEERS(PEERS),
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_window (
      .clk,
      .rst,
      .cfg,
      .tick,
      .acked,
      .acked_valid,
      .acked_ready,
      .op_valid(op_win),
      .op_init(op_win_init),
      .op_peer,
      .op_limit,
      .op_done(op_win_done),
      .rd_peer(win_peer),
      .conn(conn_win),
      .snd_nxt(snd_nxt_win),
      .open(open_win),
      .map_rd,
      .map(map_win),
      .sent_rd,
      .sent(sent_win),
      .tx_win_wr,
      .tx_win_peer,
      .tx_win_una,
      .tx_win_limit,
      .free_slot(slot_b),
      .free_valid(slot_b_valid),
      .rtx(rtx_in),
      .rtx_valid(rtx_in_valid),
      .rtx_ready(rtx_in_ready),
      .probe,
      .probe_valid,
      .dead_peer,
      .dead_gen,
      .dead_valid,
      .dead_ready,
      .waiting(win_waiting),
      .ev_lost,
      .ev_timeout,
      .ev_spurious_rtx,
      .ev_bad_ack
  );

  kumi_eth_rtp_ram #(
      .W(1),
      .DEPTH(1 << PEER_W)
  ) u_open_win (
      .clk,
      .wr_en  (open_wr),
      .wr_addr(open_peer),
      .wr_data(open_data),
      .rd_addr(win_peer),
      .rd_data(open_win)
  );

  kumi_eth_rtp_ram #(
      .W($bits(rtp_tx_record_t)),
      .DEPTH(TX_SLOTS)
  ) u_sent (
      .clk,
      .wr_en  (sent_wr),
      .wr_addr(sent_slot),
      .wr_data(sent_data),
      .rd_addr(sent_rd),
      .rd_data(sent_win)
  );

  logic [$clog2(TX_SLOTS)+1:0] rtx_depth;
  kumi_fifo #(
      .W($bits(rtp_rtx_t)),
      .DEPTH(2 * TX_SLOTS)
  ) u_rtx (
      .clk,
      .rst,
      .s_data (rtx_in),
      .s_valid(rtx_in_valid),
      .s_ready(rtx_in_ready),
      .m_data (rtx),
      .m_valid(rtx_valid),
      .m_ready(rtx_ready),
      .depth  (rtx_depth)
  );

  // ---- Frames to the line -----------------------------------------------------------------------
  kumi_eth_rtp_ctrl_frame_gen #(
      .WINDOW(WINDOW),
      .WORDS (TX_WORDS),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_ctrl_frame_gen (
      .clk,
      .rst,
      .handshake,
      .handshake_valid,
      .handshake_ready,
      .ack_req,
      .ack_req_valid,
      .ack_req_ready,
      .rtx,
      .rtx_valid,
      .rtx_ready,
      .rd_peer(ctrl_peer),
      .conn(conn_ctrl),
      .addr(addr_ctrl),
      .ack(rcv_nxt_ctrl),
      .sack(sack_ctrl),
      .delivered(delivered_ctrl),
      .rd_slot(ctrl_slot),
      .info(tx_info),
      .m_send(ctrl_desc),
      .m_valid(ctrl_desc_valid),
      .m_ready(ctrl_desc_ready)
  );

  kumi_eth_rtp_tx_framer #(
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_framer (
      .clk,
      .rst,
      .a(data_desc),
      .a_valid(data_desc_valid),
      .a_ready(data_desc_ready),
      .b(ctrl_desc),
      .b_valid(ctrl_desc_valid),
      .b_ready(ctrl_desc_ready),
      .src(src_q),
      .tick,
      .start(tx_start),
      .start_ready(tx_start_ready),
      .start_base(tx_base),
      .start_words(tx_count),
      .d_data(tx_data),
      .d_valid(tx_valid),
      .d_ready(tx_ready),
      .m_frame,
      .sent_wr,
      .sent_slot,
      .sent_data,
      .advertised_wr,
      .advertised_full,
      .advertised_peer,
      .advertised_ack,
      .advertised_limit,
      .idle(line_idle),
      .done(line_done),
      .ev_data,
      .ev_retransmit,
      .ev_ack,
      .ev_hello,
      .ev_reset
  );

  // ---- Receiver ---------------------------------------------------------------------------------
  kumi_eth_rtp_rx #(
      .PEERS (PEERS),
      .WINDOW(WINDOW),
      .WORDS (RX_WORDS),
      .BYTES (BYTES),
      .DEPTH (RX_DEPTH),
      .PEER_W(PEER_W)
  ) u_rx (
      .clk,
      .rst,
      .s_frame,
      .rd_peer(rx_peer),
      .tags(tags_rx),
      .delivered(delivered_rx),
      .snd_nxt(snd_nxt_rx),
      .rcv_wr,
      .rcv_peer,
      .rcv_nxt,
      .rcv_sack,
      .info_wr(rx_info_wr),
      .info_addr(rx_info_addr),
      .info_data(rx_info_data),
      .w_en(rx_w),
      .w_addr(rx_w_addr),
      .w_data(rx_w_data),
      .op_valid(op_rx),
      .op_ready(op_rx_ready),
      .op_kind,
      .op_peer,
      .deliver(deliver_in),
      .deliver_valid(deliver_in_valid),
      .deliver_ready(deliver_in_ready),
      .acked(acked_in),
      .acked_valid(acked_in_valid),
      .acked_ready(acked_in_ready),
      .assoc_event(assoc_event_in),
      .assoc_event_valid(assoc_event_in_valid),
      .assoc_event_ready(assoc_event_in_ready),
      .ack_req(rx_ack_req),
      .ack_req_valid(rx_ack_req_valid),
      .ev(ev_rx)
  );

  kumi_eth_rtp_ram #(
      .W(32 + WINDOW),
      .DEPTH(1 << PEER_W)
  ) u_rcv_ctrl (
      .clk,
      .wr_en  (rcv_wr),
      .wr_addr(rcv_peer),
      .wr_data({rcv_nxt, rcv_sack}),
      .rd_addr(ctrl_peer),
      .rd_data({rcv_nxt_ctrl, sack_ctrl})
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_rcv_admit (
      .clk,
      .wr_en  (rcv_wr),
      .wr_addr(rcv_peer),
      .wr_data(rcv_nxt),
      .rd_addr(admit_peer),
      .rd_data(rcv_nxt_admit)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_rcv_scan (
      .clk,
      .wr_en  (rcv_wr),
      .wr_addr(rcv_peer),
      .wr_data(rcv_nxt[7:0]),
      .rd_addr(scan_peer),
      .rd_data(rcv_nxt_scan)
  );

  kumi_eth_rtp_ram #(
      .W(16),
      .DEPTH(1 << RX_W)
  ) u_rx_info (
      .clk,
      .wr_en  (rx_info_wr),
      .wr_addr(rx_info_addr),
      .wr_data(rx_info_data),
      .rd_addr(rx_info_rd),
      .rd_data(rx_info)
  );

  kumi_slice #(
      .W($bits(rtp_deliver_cmd_t)),
      .MODE(2)
  ) u_deliver_cmd (
      .clk,
      .rst,
      .s_data (deliver_in),
      .s_valid(deliver_in_valid),
      .s_ready(deliver_in_ready),
      .m_data (deliver),
      .m_valid(deliver_valid),
      .m_ready(deliver_ready)
  );

  kumi_eth_rtp_ack_coalesce u_ack_coalesce (
      .clk,
      .rst,
      .s(acked_in),
      .s_valid(acked_in_valid),
      .s_ready(acked_in_ready),
      .m(acked),
      .m_valid(acked_valid),
      .m_ready(acked_ready)
  );

  logic [4:0] assoc_event_depth;
  kumi_fifo #(
      .W($bits(rtp_assoc_event_t)),
      .DEPTH(16)
  ) u_assoc_event (
      .clk,
      .rst,
      .s_data (assoc_event_in),
      .s_valid(assoc_event_in_valid),
      .s_ready(assoc_event_in_ready),
      .m_data (assoc_event),
      .m_valid(assoc_event_valid),
      .m_ready(assoc_event_ready),
      .depth  (assoc_event_depth)
  );

  // ---- Delivery ---------------------------------------------------------------------------------
  kumi_eth_rtp_payload_buf #(
      .DATA_W (DATA_W),
      .DEPTH  (RX_DEPTH),
      .COUNT_W(COUNT_W)
  ) u_rx_buf (
      .clk,
      .rst,
      .w_en(rx_w),
      .w_addr(rx_w_addr),
      .w_data(rx_w_data),
      .start(rx_start),
      .start_ready(rx_start_ready),
      .start_base($clog2(RX_DEPTH)'(rx_base)),
      .start_words(COUNT_W'(rx_count)),
      .m_data(rx_data),
      .m_valid(rx_valid),
      .m_ready(rx_ready)
  );

  kumi_eth_rtp_rx_deliver #(
      .WINDOW(WINDOW),
      .WORDS (RX_WORDS),
      .PEER_W(PEER_W)
  ) u_rx_deliver (
      .clk,
      .rst,
      .deliver,
      .deliver_valid,
      .deliver_ready,
      .info_rd(rx_info_rd),
      .info(rx_info),
      .advertised_rd,
      .advertised(advertised_limit_deliver),
      .delivered_wr,
      .delivered_peer,
      .delivered_data,
      .open_wr,
      .open_peer,
      .open_data,
      .r_start(rx_start),
      .r_start_ready(rx_start_ready),
      .r_base(rx_base),
      .r_words(rx_count),
      .r_data(rx_data),
      .r_valid(rx_valid),
      .r_ready(rx_ready),
      .m_msg,
      .ack_req(window_update),
      .ack_req_valid(window_update_valid),
      .drained,
      .drained_valid,
      .drained_ready,
      .init_done
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_delivered_rx (
      .clk,
      .wr_en  (delivered_wr),
      .wr_addr(delivered_peer),
      .wr_data(delivered_data),
      .rd_addr(rx_peer),
      .rd_data(delivered_rx)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_delivered_ctrl (
      .clk,
      .wr_en  (delivered_wr),
      .wr_addr(delivered_peer),
      .wr_data(delivered_data),
      .rd_addr(ctrl_peer),
      .rd_data(delivered_ctrl)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_delivered_scan (
      .clk,
      .wr_en  (delivered_wr),
      .wr_addr(delivered_peer),
      .wr_data(delivered_data),
      .rd_addr(scan_peer),
      .rd_data(delivered_scan)
  );

  // ---- Acknowledgements -------------------------------------------------------------------------
  kumi_eth_rtp_ack_sched #(
      .WINDOW(WINDOW),
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_ack_sched (
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
      .rd_peer(scan_peer),
      .up(up_scan),
      .rcv_nxt(rcv_nxt_scan),
      .delivered(delivered_scan),
      .advertised_ack(advertised_ack_scan),
      .advertised_limit(advertised_limit_scan),
      .waiting(ack_waiting),
      .m_req(ack_req),
      .m_valid(ack_req_valid),
      .m_ready(ack_req_ready)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_advertised_ack (
      .clk,
      .wr_en  (advertised_wr),
      .wr_addr(advertised_peer),
      .wr_data(advertised_ack),
      .rd_addr(scan_peer),
      .rd_data(advertised_ack_scan)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_advertised_limit (
      .clk,
      .wr_en  (advertised_wr && advertised_full),
      .wr_addr(advertised_peer),
      .wr_data(advertised_limit),
      .rd_addr(scan_peer),
      .rd_data(advertised_limit_scan)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_advertised_deliver (
      .clk,
      .wr_en  (advertised_wr && advertised_full),
      .wr_addr(advertised_peer),
      .wr_data(advertised_limit),
      .rd_addr(advertised_rd),
      .rd_data(advertised_limit_deliver)
  );

  // ---- What is going on -------------------------------------------------------------------------
  always_comb begin
    ev              = ev_rx;
    ev.tx_message   = ev_message;
    ev.tx_failed    = fail_valid && fail_ready;
    ev.tx_bad       = ev_bad;
    ev.tx_data      = ev_data;
    ev.tx_retransmit     = ev_retransmit;
    ev.tx_ack       = ev_ack;
    ev.tx_hello     = ev_hello;
    ev.tx_reset     = ev_reset;
    ev.lost         = ev_lost;
    ev.timeout      = ev_timeout;
    ev.spurious_rtx     = ev_spurious_rtx;
    ev.rx_hello     = ev_known_peer;
    ev.rx_unknown   = ev_unknown_peer;
    ev.rx_bad_ack    = ev_rx.rx_bad_ack || ev_bad_ack;
    ev.up           = ev_up;
    ev.down_timeout    = ev_down_timeout;
    ev.down_restart = ev_down_restart;
    ev.down_closed     = ev_down_closed;
  end

  // The scanners' verdicts are a round old, so it stays busy for more than one.
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

  logic unused;
  assign unused = ^{rtx_depth, assoc_event_depth, slot_b_ready, tx_base, rx_base, tx_count, rx_count};
endmodule
