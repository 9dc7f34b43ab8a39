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
// Latency at 512 bits: 9 cycles from s_tx to m_axis without payload; with payload 13 plus memory
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
  typedef struct packed {
    logic [15:0]  len;
    logic [5:0]   head_len;
    logic [479:0] head;
  } head_t;

  tcp_tx_t rec_q;
  logic rec_valid_q, go, push, too_long, with_data;
  head_t head_in, head;
  logic head_room, head_valid, head_pop, head_data;
  logic [479:0] head_bytes;
  logic [5:0] head_len;
  logic [17:0] span;  // bytes in whole beats
  logic [17:0] need;  // beats
  logic [$clog2(QUEUE):0] head_depth;

  kumi_tcp_tx_header u_head (
      .rec (rec_q),
      .head(head_bytes),
      .head_len
  );

  assign with_data = rec_q.len != '0;
  assign span = 18'(rec_q.len) + 18'(head_len[LANE_W-1:0]) + 18'(B - 1);
  assign need = span >> LANE_W;
  assign too_long = with_data && need > 18'(HOLD);
  assign s_tx.ready = !rec_valid_q || go;

  always_ff @(posedge clk) begin
    if (s_tx.ready) begin
      rec_q <= s_tx.data;
      rec_valid_q <= s_tx.valid;
    end
    if (rst) rec_valid_q <= 1'b0;
  end

  // ---- buffer space, read job -----------------------------------------------------------------
  logic [HW-1:0] free_q;  // free beats of the buffer
  logic job_ready, info_room, name_room, hold_pop, hold_pop_ready;

  assign go = rec_valid_q && (too_long || (head_room && name_room
      && (!with_data || (job_ready && info_room && 18'(free_q) >= need))));
  assign push = go && !too_long;

  always_ff @(posedge clk) begin
    free_q <= free_q - (push && with_data ? HW'(need) : '0) + HW'(hold_pop);
    ev.drop_length <= go && too_long;
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
      .s_hi(ring_base[ADDR_W-1:RING_W] + (ADDR_W - RING_W)'(rec_q.sid[SW-1:0])),
      .s_off(rec_q.seq[RING_W-1:0]),
      .s_len(rec_q.len),
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
  assign head_in = '{len: rec_q.len, head_len: head_len, head: head_bytes};

  kumi_fifo #(
      .W($bits(head_t)),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_heads (
      .clk,
      .rst,
      .s_data (head_in),
      .s_valid(push),
      .s_ready(head_room),
      .m_data (head),
      .m_valid(head_valid),
      .m_ready(head_pop),
      .depth  (head_depth)
  );

  logic head_sum_valid, head_sum_there;
  logic [15:0] head_sum_in, head_sum, pseudo;

  function automatic logic [15:0] fold(input logic [18:0] v);
    logic [16:0] f;
    f = 17'(v[15:0]) + 17'(v[18:16]);
    return f[15:0] + 16'(f[16]);
  endfunction

  assign pseudo = fold(
      19'(cfg.ip[31:16]) + 19'(cfg.ip[15:0]) + 19'(rec_q.tuple.peer_ip[31:16])
      + 19'(rec_q.tuple.peer_ip[15:0]) + 19'd6 + 19'(head_len) + 19'(rec_q.len)
  );

  kumi_checksum #(
      .DATA_W(480)
  ) u_head_sum (
      .clk,
      .rst,
      .in_valid (push),
      .in_last  (1'b1),
      .in_data  (head_bytes),
      .in_keep  ('1),
      .in_seed  (pseudo),
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
      .pop  (head_pop)
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

  assign info_in = '{lo: rec_q.seq[LANE_W-1:0], place: head_len[LANE_W-1:0], len: rec_q.len};

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
      .pop  (head_pop && head_data)
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
      .pop  (head_pop && head_data)
  );

  // ---- IP records, ahead of the packets -------------------------------------------------------
  logic names_busy;

  kumi_tcp_tx_ip_meta #(
      .DEPTH(QUEUE)
  ) u_names (
      .clk,
      .rst,
      .s_ip(rec_q.tuple.peer_ip),
      .s_length(16'(head_len) + rec_q.len),
      .s_ect(rec_q.ect),
      .s_payload(with_data),
      .s_valid(push),
      .s_ready(name_room),
      .end_valid(held_valid && held_last),
      .end_bad(held_bad),
      .m_hdr,
      .busy(names_busy)
  );

  // ---- output ---------------------------------------------------------------------------------
  logic send_valid, send_ready, send_busy;
  assign head_data  = head.len != '0;
  assign send_valid = head_valid && head_sum_there && (!head_data || body_sum_there);
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
      .s_sum(fold(19'(head_sum) + (head_data ? 19'(body_sum) : '0))),
      .s_drop(head_data && body_bad),
      .p_valid(payload_valid),
      .p_ready(hold_pop_ready),
      .p_data(payload),
      .m_axis,
      .ev_sent(ev.sent),
      .ev_drop(ev.drop_axi),
      .busy(send_busy)
  );

  assign busy = rec_valid_q || head_depth != '0 || head_valid || names_busy || send_busy;

  logic unused;
  assign unused = ^{cfg, rec_q, unused_infos, unused_hold, unused_tag, held_first, hold_room,
                    bad_there, m_axi.rid, m_axi.rlast, ring_base, span, m_axi.rresp};
endmodule
