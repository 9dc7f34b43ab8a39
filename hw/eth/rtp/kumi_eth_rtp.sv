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
    output logic                     room,

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
  rtp_conn_t conn_data, conn_admit, conn_fetch, conn_win;
  rtp_tags_t tags_data, tags_rx;
  logic [47:0] addr_data, addr_admit, addr_fetch;
  logic op_rx, op_rx_ready, op_clear, op_win, op_win_init, op_win_done, init_done;
  rtp_deliver_cmd_e op_kind;
  logic [6:0] op_limit;
  rtp_handshake_t greet;
  logic greet_valid, greet_ready, greet_ack_valid, assoc_waiting;
  rtp_ack_req_t greet_ack;
  // segmenter, admission
  rtp_seg_t seg;
  logic seg_valid, seg_ready, seg_slot, seg_more;
  logic [11:0] live_peer;
  peer_t admit_peer, nxt_peer;
  logic nxt_wr, map_wr, tx_info_wr, fail_valid, fail_ready;
  logic [31:0] nxt_data, nxt_admit, nxt_win, nxt_rx, first_admit, limit_admit, have_admit;
  logic [PEER_W+$clog2(TX_WINDOW)-1:0] map_addr, map_rd;
  logic [SLOT_W-1:0] map_data, map_win;
  logic [15:0] tx_info_data, tx_info;
  logic [11:0] fail_peer;
  rtp_tx_desc_t fresh, other;
  logic fresh_valid, fresh_ready, other_valid, other_ready;
  logic [7:0] free_slot, slot_a, slot_b;
  logic free_valid, free_ready, slot_a_valid, slot_a_ready, slot_b_valid, slot_b_ready;
  // transmit window
  peer_t win_peer, edge_peer;
  logic edge_wr, win_waiting, open_win;
  logic [31:0] edge_first, edge_limit;
  logic [SLOT_W-1:0] sent_rd;
  rtp_tx_record_t sent_win;
  rtp_rtx_t again_in, again;
  logic again_in_valid, again_in_ready, again_valid, again_ready;
  rtp_ack_req_t probe;
  logic probe_valid, dead_valid, dead_ready;
  logic [11:0] dead_peer;
  logic [19:0] dead_gen;
  // frames to the line
  peer_t fetch_peer, told_peer;
  logic [SLOT_W-1:0] fetch_slot, sent_slot;
  logic sent_wr, told_wr, told_full, line_idle, line_done;
  rtp_tx_record_t sent_data;
  logic [7:0] told_ack, told_limit, told_ack_q, told_limit_q, told_limit_give;
  logic [31:0] have_fetch;
  logic [WINDOW-1:0] sack_fetch;
  // receiver
  peer_t rx_peer, have_peer;
  logic have_wr, rx_info_wr;
  logic [31:0] have_next;
  logic [WINDOW-1:0] have_map;
  logic [RX_W-1:0] rx_info_addr, rx_info_rd;
  logic [15:0] rx_info_data, rx_info;
  rtp_deliver_cmd_t got_in, got;
  logic got_in_valid, got_in_ready, got_valid, got_ready;
  rtp_rx_ack_t acked_in, acked;
  logic acked_in_valid, acked_in_ready, acked_valid, acked_ready;
  rtp_assoc_event_t note_in, note;
  logic note_in_valid, note_in_ready, note_valid, note_ready;
  rtp_ack_req_t rx_ack, ackreq, gave;
  logic rx_ack_valid, ackreq_valid, ackreq_ready, gave_valid;
  // delivery
  peer_t gone_peer, open_peer, told_rd, drained, scan_peer;
  logic gone_wr, open_wr, open_data, drained_valid, drained_ready, ack_waiting, up_scan;
  logic [7:0] gone_data, gone_rx, gone_fetch, gone_scan, have_scan;
  // stores
  logic tx_w, rx_w, tx_start, tx_start_ready, rx_start, rx_start_ready;
  logic [$clog2(TX_DEPTH)-1:0] tx_w_addr;
  logic [$clog2(RX_DEPTH)-1:0] rx_w_addr;
  logic [DATA_W-1:0] tx_w_data, rx_w_data, tx_data, rx_data;
  logic [31:0] tx_base, rx_base;
  logic [13:0] tx_count, rx_count;
  logic tx_valid, tx_ready, rx_valid, rx_ready;
  // events
  logic ev_known, ev_unknown, ev_up, ev_dead, ev_restart, ev_bye, ev_bad, ev_message;
  logic ev_lost, ev_timeout, ev_spurious_rtx, ev_forged;
  logic ev_data, ev_again, ev_ack, ev_hello, ev_reset;
  rtp_events_t ev_rx;

  // ---- Associations and addresses ---------------------------------------------------------------
  peer_t look_peer, find_hint, find_peer;
  logic [47:0] look_addr;
  logic find_start, find_found, find_missing;

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
      .note,
      .note_valid,
      .note_ready,
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
      .look_peer,
      .look_addr,
      .find_start,
      .find_hint,
      .find_found,
      .find_missing,
      .find_peer,
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
      .greet,
      .greet_valid,
      .greet_ready,
      .ackreq(greet_ack),
      .ackreq_valid(greet_ack_valid),
      .waiting(assoc_waiting),
      .ev_known,
      .ev_unknown,
      .ev_up,
      .ev_dead,
      .ev_restart,
      .ev_bye
  );

  kumi_eth_rtp_addr_lookup #(
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_find (
      .clk,
      .rst,
      .wr_en(addr_wr),
      .wr_peer(conn_peer),
      .wr_used(addr_used),
      .wr_addr(addr_data),
      .a_peer(admit_peer),
      .a_addr(addr_admit),
      .b_peer(fetch_peer),
      .b_addr(addr_fetch),
      .look_peer,
      .look_addr,
      .start(find_start),
      .start_addr(note.addr),
      .hint(find_hint),
      .found(find_found),
      .missing(find_missing),
      .peer(find_peer)
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
  ) u_conn_fetch (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(conn_data),
      .rd_addr(fetch_peer),
      .rd_data(conn_fetch)
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
  ) u_slots (
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
  ) u_seg (
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
  ) u_tx_store (
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
  ) u_admit (
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
      .first(first_admit),
      .limit(limit_admit),
      .next(nxt_admit),
      .ack(have_admit),
      .nxt_wr,
      .nxt_peer,
      .nxt_data,
      .map_wr,
      .map_addr,
      .map_data,
      .info_wr(tx_info_wr),
      .info_data(tx_info_data),
      .clear(op_clear),
      .clear_peer(op_peer),
      .m_send(fresh),
      .m_valid(fresh_valid),
      .m_ready(fresh_ready),
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
  ) u_edge_admit (
      .clk,
      .wr_en  (edge_wr),
      .wr_addr(edge_peer),
      .wr_data({edge_first, edge_limit}),
      .rd_addr(admit_peer),
      .rd_data({first_admit, limit_admit})
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_nxt_admit (
      .clk,
      .wr_en  (nxt_wr),
      .wr_addr(nxt_peer),
      .wr_data(nxt_data),
      .rd_addr(admit_peer),
      .rd_data(nxt_admit)
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_nxt_win (
      .clk,
      .wr_en  (nxt_wr),
      .wr_addr(nxt_peer),
      .wr_data(nxt_data),
      .rd_addr(win_peer),
      .rd_data(nxt_win)
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_nxt_rx (
      .clk,
      .wr_en  (nxt_wr),
      .wr_addr(nxt_peer),
      .wr_data(nxt_data),
      .rd_addr(rx_peer),
      .rd_data(nxt_rx)
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
      .rd_addr(fetch_slot),
      .rd_data(tx_info)
  );

  kumi_eth_rtp_tx_credit_query #(
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W)
  ) u_room (
      .clk,
      .conn_wr,
      .conn_peer,
      .conn_up(conn_data.up),
      .edge_wr,
      .edge_peer,
      .edge_first(edge_first[7:0]),
      .edge_limit(edge_limit[7:0]),
      .nxt_wr,
      .nxt_peer,
      .nxt_data(nxt_data[7:0]),
      .slot(seg_slot),
      .pending({seg_valid && seg_more, seg_valid != seg_more}),
      .peer(credit_peer),
      .up(credit_up),
      .room
  );

  // ---- Transmit window --------------------------------------------------------------------------
  kumi_eth_rtp_tx_window #(
      .PEERS(PEERS),
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_win (
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
      .next(nxt_win),
      .open(open_win),
      .map_rd,
      .map(map_win),
      .sent_rd,
      .sent(sent_win),
      .edge_wr,
      .edge_peer,
      .edge_first,
      .edge_limit,
      .free_slot(slot_b),
      .free_valid(slot_b_valid),
      .again(again_in),
      .again_valid(again_in_valid),
      .again_ready(again_in_ready),
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
      .ev_forged
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

  logic [$clog2(TX_SLOTS)+1:0] again_depth;
  kumi_fifo #(
      .W($bits(rtp_rtx_t)),
      .DEPTH(2 * TX_SLOTS)
  ) u_again (
      .clk,
      .rst,
      .s_data (again_in),
      .s_valid(again_in_valid),
      .s_ready(again_in_ready),
      .m_data (again),
      .m_valid(again_valid),
      .m_ready(again_ready),
      .depth  (again_depth)
  );

  // ---- Frames to the line -----------------------------------------------------------------------
  kumi_eth_rtp_ctrl_frame_gen #(
      .WINDOW(WINDOW),
      .WORDS (TX_WORDS),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_fetch (
      .clk,
      .rst,
      .greet,
      .greet_valid,
      .greet_ready,
      .ackreq,
      .ackreq_valid,
      .ackreq_ready,
      .again,
      .again_valid,
      .again_ready,
      .rd_peer(fetch_peer),
      .conn(conn_fetch),
      .addr(addr_fetch),
      .ack(have_fetch),
      .sack(sack_fetch),
      .gone(gone_fetch),
      .rd_slot(fetch_slot),
      .info(tx_info),
      .m_send(other),
      .m_valid(other_valid),
      .m_ready(other_ready)
  );

  kumi_eth_rtp_tx_framer #(
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_build (
      .clk,
      .rst,
      .a(fresh),
      .a_valid(fresh_valid),
      .a_ready(fresh_ready),
      .b(other),
      .b_valid(other_valid),
      .b_ready(other_ready),
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
      .told_wr,
      .told_full,
      .told_peer,
      .told_ack,
      .told_limit,
      .idle(line_idle),
      .done(line_done),
      .ev_data,
      .ev_again,
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
      .gone(gone_rx),
      .sent(nxt_rx),
      .have_wr,
      .have_peer,
      .have_next,
      .have_map,
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
      .got(got_in),
      .got_valid(got_in_valid),
      .got_ready(got_in_ready),
      .acked(acked_in),
      .acked_valid(acked_in_valid),
      .acked_ready(acked_in_ready),
      .note(note_in),
      .note_valid(note_in_valid),
      .note_ready(note_in_ready),
      .ackreq(rx_ack),
      .ackreq_valid(rx_ack_valid),
      .ev(ev_rx)
  );

  kumi_eth_rtp_ram #(
      .W(32 + WINDOW),
      .DEPTH(1 << PEER_W)
  ) u_have_fetch (
      .clk,
      .wr_en  (have_wr),
      .wr_addr(have_peer),
      .wr_data({have_next, have_map}),
      .rd_addr(fetch_peer),
      .rd_data({have_fetch, sack_fetch})
  );

  kumi_eth_rtp_ram #(
      .W(32),
      .DEPTH(1 << PEER_W)
  ) u_have_admit (
      .clk,
      .wr_en  (have_wr),
      .wr_addr(have_peer),
      .wr_data(have_next),
      .rd_addr(admit_peer),
      .rd_data(have_admit)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_have_scan (
      .clk,
      .wr_en  (have_wr),
      .wr_addr(have_peer),
      .wr_data(have_next[7:0]),
      .rd_addr(scan_peer),
      .rd_data(have_scan)
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
  ) u_got (
      .clk,
      .rst,
      .s_data (got_in),
      .s_valid(got_in_valid),
      .s_ready(got_in_ready),
      .m_data (got),
      .m_valid(got_valid),
      .m_ready(got_ready)
  );

  kumi_eth_rtp_ack_coalesce u_acked (
      .clk,
      .rst,
      .s(acked_in),
      .s_valid(acked_in_valid),
      .s_ready(acked_in_ready),
      .m(acked),
      .m_valid(acked_valid),
      .m_ready(acked_ready)
  );

  logic [4:0] note_depth;
  kumi_fifo #(
      .W($bits(rtp_assoc_event_t)),
      .DEPTH(16)
  ) u_note (
      .clk,
      .rst,
      .s_data (note_in),
      .s_valid(note_in_valid),
      .s_ready(note_in_ready),
      .m_data (note),
      .m_valid(note_valid),
      .m_ready(note_ready),
      .depth  (note_depth)
  );

  // ---- Delivery ---------------------------------------------------------------------------------
  kumi_eth_rtp_payload_buf #(
      .DATA_W (DATA_W),
      .DEPTH  (RX_DEPTH),
      .COUNT_W(COUNT_W)
  ) u_rx_store (
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
  ) u_deliver (
      .clk,
      .rst,
      .got,
      .got_valid,
      .got_ready,
      .info_rd(rx_info_rd),
      .info(rx_info),
      .told_rd,
      .told(told_limit_give),
      .gone_wr,
      .gone_peer,
      .gone_data,
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
      .ackreq(gave),
      .ackreq_valid(gave_valid),
      .drained,
      .drained_valid,
      .drained_ready,
      .init_done
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_gone_rx (
      .clk,
      .wr_en  (gone_wr),
      .wr_addr(gone_peer),
      .wr_data(gone_data),
      .rd_addr(rx_peer),
      .rd_data(gone_rx)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_gone_fetch (
      .clk,
      .wr_en  (gone_wr),
      .wr_addr(gone_peer),
      .wr_data(gone_data),
      .rd_addr(fetch_peer),
      .rd_data(gone_fetch)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_gone_scan (
      .clk,
      .wr_en  (gone_wr),
      .wr_addr(gone_peer),
      .wr_data(gone_data),
      .rd_addr(scan_peer),
      .rd_data(gone_scan)
  );

  // ---- Acknowledgements -------------------------------------------------------------------------
  kumi_eth_rtp_ack_sched #(
      .WINDOW(WINDOW),
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_ackq (
      .clk,
      .rst,
      .tick(tick[15:0]),
      .cfg_delay(cfg.ack_delay),
      .rx(rx_ack),
      .rx_valid(rx_ack_valid),
      .gave,
      .gave_valid,
      .probe,
      .probe_valid,
      .greet(greet_ack),
      .greet_valid(greet_ack_valid),
      .rd_peer(scan_peer),
      .up(up_scan),
      .next(have_scan),
      .gone(gone_scan),
      .told_ack(told_ack_q),
      .told_limit(told_limit_q),
      .waiting(ack_waiting),
      .m_req(ackreq),
      .m_valid(ackreq_valid),
      .m_ready(ackreq_ready)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_told_ack (
      .clk,
      .wr_en  (told_wr),
      .wr_addr(told_peer),
      .wr_data(told_ack),
      .rd_addr(scan_peer),
      .rd_data(told_ack_q)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_told_limit (
      .clk,
      .wr_en  (told_wr && told_full),
      .wr_addr(told_peer),
      .wr_data(told_limit),
      .rd_addr(scan_peer),
      .rd_data(told_limit_q)
  );

  kumi_eth_rtp_ram #(
      .W(8),
      .DEPTH(1 << PEER_W)
  ) u_told_give (
      .clk,
      .wr_en  (told_wr && told_full),
      .wr_addr(told_peer),
      .wr_data(told_limit),
      .rd_addr(told_rd),
      .rd_data(told_limit_give)
  );

  // ---- What is going on -------------------------------------------------------------------------
  always_comb begin
    ev              = ev_rx;
    ev.tx_message   = ev_message;
    ev.tx_failed    = fail_valid && fail_ready;
    ev.tx_bad       = ev_bad;
    ev.tx_data      = ev_data;
    ev.tx_again     = ev_again;
    ev.tx_ack       = ev_ack;
    ev.tx_hello     = ev_hello;
    ev.tx_reset     = ev_reset;
    ev.lost         = ev_lost;
    ev.timeout      = ev_timeout;
    ev.spurious_rtx     = ev_spurious_rtx;
    ev.rx_hello     = ev_known;
    ev.rx_unknown   = ev_unknown;
    ev.rx_bad_ack    = ev_rx.rx_bad_ack || ev_forged;
    ev.up           = ev_up;
    ev.down_timeout    = ev_dead;
    ev.down_restart = ev_restart;
    ev.down_closed     = ev_bye;
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
  assign unused = ^{again_depth, note_depth, slot_b_ready, tx_base, rx_base, tx_count, rx_count};
endmodule
