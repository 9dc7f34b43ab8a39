// SPDX-License-Identifier: Apache-2.0
//
// Transmit path of the TCP engine: from records of segments to IP packets. Reads payload from the
//   transmit rings and buffers it until its checksum is known.
//
// s_tx: tcp_tx_t. A segment's payload is read from its session's ring, starting at seq, with
//   wrap-around; address = ring_base + sid * TX_RING + seq modulo TX_RING. It must be in memory
//   before the record arrives. ring_base: a multiple of TX_RING, stable.
// m_axi: reads, id 0, bursts of whole beats up to 2 KiB within 2 KiB pages; buffer space is
//   reserved before a burst is issued.
// m_hdr, m_axis: ip_hdr_t and segment, in the order of s_tx. The record is issued as soon as the
//   payload is buffered, up to QUEUE segments ahead of its packet, which hides the resolution of
//   the peer's MAC address.
// busy: a segment is in progress. ev: each record ends in exactly one of sent, drop_axi (a read was
//   answered with an error), drop_length (payload longer than HOLD_BYTES).
// Latency at 512 bits: 12 cycles from s_tx to m_axis without payload; with payload 16 plus memory
//   latency. QUEUE segments in progress at a time.
// Throughput: one beat per cycle of memory and m_axis, packets back to back.
module kumi_tcp_tx_path
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int DATA_W     = 64,            // bits of a beat, 64 to 512
    parameter int SESSIONS   = 16,            // a power of two
    parameter int TX_RING    = 65536,         // bytes of a ring, a power of two, at least 4096
    parameter int ADDR_W     = 32,            // bits of an address
    parameter int HOLD_BYTES = 128 * DATA_W,  // payload buffered, a power of two
    parameter int QUEUE      = 16             // segments in progress, a power of two
) (
    input logic clk,
    input logic rst,
    input tcp_cfg_t cfg,
    input logic [ADDR_W-1:0] ring_base,
    kumi_rec_if.snk s_tx,
    kumi_axi_if.mst_rd m_axi,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic busy,
    output tcp_tx_ev_t ev
);
  localparam int B = DATA_W / 8;
  localparam int LANE_W = $clog2(B);
  localparam int RING_W = $clog2(TX_RING);
  localparam int SW = $clog2(SESSIONS);
  localparam int HOLD = HOLD_BYTES / B;
  localparam int HW = $clog2(HOLD) + 1;

  if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be a power of two, 64 to 512 (%m)");
  end
  if (TX_RING < 4096 || (TX_RING & (TX_RING - 1)) != 0 || RING_W + SW > ADDR_W) begin : gen_check_r
    $fatal(0, "TX_RING must be a power of two, at least 4096, and all rings fit ADDR_W (%m)");
  end
  if (s_tx.W != $bits(
          tcp_tx_t
      ) || m_axi.DATA_W != DATA_W || m_axis.DATA_W != DATA_W) begin : gen_check_if
    $fatal(0, "s_tx, m_axi or m_axis has another width (%m)");
  end

  // ---- record to header -----------------------------------------------------------------------
  // Three registers: the record; its header; what the header's length leads to.
  typedef struct packed {
    logic [15:0]  len;
    logic [5:0]   head_len;
    logic [479:0] head;
  } head_t;

  // What a record says beside its header.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      seq;
    logic [31:0]      peer_ip;
    logic             ect;
  } rest_t;

  tcp_tx_t rec_q;
  logic rec_valid_q, built_valid_q, ready_valid_q, rec_move, built_move, go, push, too_long_q;
  logic with_data;
  rest_t built_rest_q, rest_q;
  head_t built_q, head_in_q, head;
  logic head_room, head_valid, head_pop;
  logic [479:0] head_bytes;
  logic [  5:0] head_len;
  logic [17:0] span, need_q;  // bytes in whole beats; beats
  logic [15:0] length_q;  // of the packet
  logic [17:0] ends_q;  // sum of the pseudo header without the length
  logic [18:0] pseudo_q;
  logic [$clog2(QUEUE):0] head_depth;

  kumi_tcp_tx_header u_head (
      .rec (rec_q),
      .head(head_bytes),
      .head_len
  );

  assign built_move = !ready_valid_q || go;
  assign rec_move = !built_valid_q || built_move;
  assign s_tx.ready = !rec_valid_q || rec_move;
  assign with_data = head_in_q.len != '0;
  assign span = 18'(built_q.len) + 18'(built_q.head_len[LANE_W-1:0]) + 18'(B - 1);

  logic [16:0] own_q;  // own address and protocol; settings are stable
  always_ff @(posedge clk) own_q <= 17'(cfg.ip[31:16]) + 17'(cfg.ip[15:0]) + 17'd6;

  always_ff @(posedge clk) begin
    if (s_tx.ready) begin
      rec_q <= s_tx.data;
      rec_valid_q <= s_tx.valid;
    end
    if (rec_move) begin
      built_q <= '{len: rec_q.len, head_len: head_len, head: head_bytes};
      built_rest_q <= '{
          sid: rec_q.sid,
          seq: rec_q.seq,
          peer_ip: rec_q.tuple.peer_ip,
          ect: rec_q.ect
      };
      built_valid_q <= rec_valid_q;
      ends_q <= 18'(own_q) + 18'(rec_q.tuple.peer_ip[31:16]) + 18'(rec_q.tuple.peer_ip[15:0]);
    end
    if (built_move) begin
      head_in_q <= built_q;
      rest_q <= built_rest_q;
      ready_valid_q <= built_valid_q;
      need_q <= span >> LANE_W;
      too_long_q <= built_q.len != '0 && (span >> LANE_W) > 18'(HOLD);
      length_q <= 16'(built_q.head_len) + built_q.len;
      pseudo_q <= 19'(ends_q) + 19'(built_q.head_len) + 19'(built_q.len);
    end
    if (rst) begin
      rec_valid_q   <= 1'b0;
      built_valid_q <= 1'b0;
      ready_valid_q <= 1'b0;
    end
  end

  // ---- buffer space, read job -----------------------------------------------------------------
  logic [HW-1:0] free_q;  // free beats of the buffer
  logic job_ready, info_room, name_room, hold_pop, hold_pop_ready;

  assign go = ready_valid_q && (too_long_q || (head_room && name_room
      && (!with_data || (job_ready && info_room && 18'(free_q) >= need_q))));
  assign push = go && !too_long_q;

  always_ff @(posedge clk) begin
    free_q <= free_q - (push && with_data ? HW'(need_q) : '0) + HW'(hold_pop);
    ev.drop_length <= go && too_long_q;
    if (rst) begin
      free_q <= HW'(HOLD);
      ev.drop_length <= 1'b0;
    end
  end

  kumi_ring_burst #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(RING_W),
      .BURST_BYTES(2048)
  ) u_burst (
      .clk,
      .rst,
      .s_hi(ring_base[ADDR_W-1:RING_W] + (ADDR_W - RING_W)'(rest_q.sid[SW-1:0])),
      .s_off(rest_q.seq[RING_W-1:0]),
      .s_len(head_in_q.len),
      .s_valid(push && with_data),
      .s_ready(job_ready),
      .m_addr(m_axi.araddr),
      .m_beats(m_axi.arlen),
      .m_valid(m_axi.arvalid),
      .m_ready(m_axi.arready)
  );
  assign m_axi.arid = '0;
  assign m_axi.arsize = 3'(LANE_W);
  assign m_axi.arburst = 2'd1;

  // ---- header queue and checksums -------------------------------------------------------------
  kumi_fifo #(
      .W($bits(head_t)),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_heads (
      .clk,
      .rst,
      .s_data (head_in_q),
      .s_valid(push),
      .s_ready(head_room),
      .m_data (head),
      .m_valid(head_valid),
      .m_ready(head_pop),
      .depth  (head_depth)
  );

  logic head_sum_valid, head_sum_there;
  logic join_go, join_data;  // the oldest header's sum is joined with its payload's, if it has one
  logic [15:0] head_sum_in, head_sum;

  // With a carry the low bits are fewer than seven, so adding it cannot ripple.
  logic [16:0] fold;
  assign fold = 17'(pseudo_q[15:0]) + 17'(pseudo_q[18:16]);

  kumi_checksum #(
      .DATA_W(480)
  ) u_head_sum (
      .clk,
      .rst,
      .in_valid (push),
      .in_last  (1'b1),
      .in_data  (head_in_q.head),
      .in_keep  ('1),
      .in_seed  ({fold[15:3], fold[2:0] + 3'(fold[16])}),
      .out_valid(head_sum_valid),
      .out_sum  (head_sum_in)
  );

  kumi_tcp_tx_csum_fifo #(
      .W(16),
      .DEPTH(2 * QUEUE)
  ) u_head_sums (
      .clk,
      .rst,
      .push (head_sum_valid),
      .data (head_sum_in),
      .valid(head_sum_there),
      .q    (head_sum),
      .pop  (join_go)
  );

  // ---- payload from memory --------------------------------------------------------------------
  typedef struct packed {
    logic [LANE_W-1:0] lo;     // lane of its first byte in memory
    logic [LANE_W-1:0] place;  // lane in the packet
    logic [15:0]       len;
  } info_t;

  info_t info, info_in;
  logic info_valid, first_q, bad_q, bad, beat, beat_last, shift_ready;
  logic [15:0] left, left_q;
  logic [LANE_W-1:0] lo;
  logic [LANE_W:0] whole;
  logic [$clog2(QUEUE):0] unused_infos;

  assign info_in = '{
          lo: rest_q.seq[LANE_W-1:0],
          place: head_in_q.head_len[LANE_W-1:0],
          len: head_in_q.len
      };

  kumi_fifo #(
      .W($bits(info_t)),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_infos (
      .clk,
      .rst,
      .s_data (info_in),
      .s_valid(push && with_data),
      .s_ready(info_room),
      .m_data (info),
      .m_valid(info_valid),
      .m_ready(beat && beat_last),
      .depth  (unused_infos)
  );

  assign m_axi.rready = info_valid && shift_ready;
  assign beat = m_axi.rvalid && m_axi.rready;
  assign left = first_q ? info.len : left_q;
  assign lo = first_q ? info.lo : '0;
  assign whole = (LANE_W + 1)'(B) - {1'b0, lo};
  assign beat_last = left <= 16'(whole);
  assign bad = m_axi.rresp[1] || bad_q;

  always_ff @(posedge clk) begin
    if (beat) begin
      first_q <= beat_last;
      left_q  <= left - 16'(whole);
      bad_q   <= bad && !beat_last;
    end
    if (rst) begin
      first_q <= 1'b1;
      bad_q   <= 1'b0;
    end
  end

  logic [DATA_W-1:0] held;
  logic [B-1:0] held_keep;
  logic held_valid, held_first, held_last, held_bad, unused_tag;

  kumi_byte_realign #(
      .DATA_W(DATA_W)
  ) u_shift (
      .clk,
      .rst,
      .s_data (m_axi.rdata),
      .s_lo   (lo),
      .s_count(beat_last ? left[LANE_W:0] : whole),
      .s_start(first_q),
      .s_lane(info.place),
      .s_tag  (1'b0),
      .s_flush(beat_last),
      .s_user (bad),
      .s_valid(m_axi.rvalid && info_valid),
      .s_ready(shift_ready),
      .m_data (held),
      .m_keep (held_keep),
      .m_first(held_first),
      .m_last (held_last),
      .m_tag  (unused_tag),
      .m_user (held_bad),
      .m_valid(held_valid),
      .m_ready(1'b1)
  );

  // ---- payload buffer and checksum ------------------------------------------------------------
  logic [DATA_W-1:0] payload;
  logic payload_valid, hold_room, body_sum_valid, body_sum_there, bad_there, body_bad;
  logic [15:0] body_sum_in, body_sum;
  logic [HW-1:0] unused_hold;

  kumi_fifo #(
      .W(DATA_W),
      .DEPTH(HOLD)
  ) u_hold (
      .clk,
      .rst,
      .s_data (held),
      .s_valid(held_valid),
      .s_ready(hold_room),
      .m_data (payload),
      .m_valid(payload_valid),
      .m_ready(hold_pop_ready),
      .depth  (unused_hold)
  );

  kumi_checksum #(
      .DATA_W(DATA_W)
  ) u_body_sum (
      .clk,
      .rst,
      .in_valid (held_valid),
      .in_last  (held_last),
      .in_data  (held),
      .in_keep  (held_keep),
      .in_seed  ('0),
      .out_valid(body_sum_valid),
      .out_sum  (body_sum_in)
  );

  kumi_tcp_tx_csum_fifo #(
      .W(16),
      .DEPTH(2 * QUEUE)
  ) u_body_sums (
      .clk,
      .rst,
      .push (body_sum_valid),
      .data (body_sum_in),
      .valid(body_sum_there),
      .q    (body_sum),
      .pop  (join_go && join_data)
  );

  kumi_tcp_tx_csum_fifo #(
      .W(1),
      .DEPTH(2 * QUEUE)
  ) u_bads (
      .clk,
      .rst,
      .push (held_valid && held_last),
      .data (held_bad),
      .valid(bad_there),
      .q    (body_bad),
      .pop  (join_go && join_data)
  );

  // ---- IP records, ahead of the packets -------------------------------------------------------
  logic names_busy;

  kumi_tcp_tx_ip_meta #(
      .DEPTH(QUEUE)
  ) u_names (
      .clk,
      .rst,
      .s_ip(rest_q.peer_ip),
      .s_length(length_q),
      .s_ect(rest_q.ect),
      .s_payload(with_data),
      .s_valid(push),
      .s_ready(name_room),
      .end_valid(held_valid && held_last),
      .end_bad(held_bad),
      .m_hdr,
      .busy(names_busy)
  );

  // ---- output ---------------------------------------------------------------------------------
  // The sums of header and payload are joined one cycle ahead of the header.
  logic send_valid, send_ready, send_busy, join_there, joined_q, joined_bad_q;
  logic [16:0] joined_sum_q;

  kumi_tcp_tx_csum_fifo #(
      .W(1),
      .DEPTH(2 * QUEUE)
  ) u_kinds (
      .clk,
      .rst,
      .push,
      .data (with_data),
      .valid(join_there),
      .q    (join_data),
      .pop  (join_go)
  );

  assign join_go = join_there && head_sum_there && (!join_data || body_sum_there) &&
      (!joined_q || head_pop);
  always_ff @(posedge clk) begin
    if (join_go) begin
      joined_sum_q <= 17'(head_sum) + (join_data ? 17'(body_sum) : '0);
      joined_bad_q <= join_data && body_bad;
    end
    joined_q <= join_go || (joined_q && !head_pop);
    if (rst) joined_q <= 1'b0;
  end

  assign send_valid = head_valid && joined_q;
  assign head_pop   = send_valid && send_ready;
  assign hold_pop   = payload_valid && hold_pop_ready;

  kumi_tcp_tx_assemble #(
      .DATA_W(DATA_W)
  ) u_send (
      .clk,
      .rst,
      .s_valid(send_valid),
      .s_ready(send_ready),
      .s_head(head.head),
      .s_head_len(head.head_len),
      .s_len(head.len),
      .s_sum(joined_sum_q[15:0] + 16'(joined_sum_q[16])),
      .s_drop(joined_bad_q),
      .p_valid(payload_valid),
      .p_ready(hold_pop_ready),
      .p_data(payload),
      .m_axis,
      .ev_sent(ev.sent),
      .ev_drop(ev.drop_axi),
      .busy(send_busy)
  );

  assign busy = rec_valid_q || built_valid_q || ready_valid_q || head_depth != '0 || head_valid ||
      names_busy || send_busy;

  logic unused;
  assign unused = ^{cfg, rec_q, unused_infos, unused_hold, unused_tag, held_first, hold_room,
                    bad_there, m_axi.rid, m_axi.rlast, ring_base, span, m_axi.rresp};
endmodule
