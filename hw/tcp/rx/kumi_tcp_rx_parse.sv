// SPDX-License-Identifier: Apache-2.0
//
// TCP segment parser (RFC 9293 3.1): extracts header fields, sums header, payload and pseudo
//   header, and aligns the payload to a beat. It makes no decision: a segment is described by four
//   outputs, each in the order of the segments.
//
// s_hdr, s_axis: ip_hdr_t and the segment from the IP stack. A record of length 0 has no frame; a
//   record whose length differs from its frame's marks a bad segment, without loss of
//   synchronisation. A record is registered with what follows from it, so it is accepted ahead of
//   its frame, and a frame begins one cycle after its record or later.
// open: low: segments are dropped. slot_free: the next segment may begin; room: free beats of the
//   payload buffer. begin_*: a segment begins and reserves begin_beats at `base`.
// key_*: its tuple, for the table lookup (valid/ready, the only output that can stall). head_*: its
//   header, one cycle. end_*: its last beat was accepted: RX_HIT, or the reason to drop it.
// sum_*: its checksum; sum_ok: correct. st_*: payload beats to the buffer.
// Latency in cycles: from the first beat: key 1, begin 0; head 1 from the header's last beat; from
//   the last beat: end 1, sum 3 (64 bits), 4 (128) or 5; st 3 from each beat. One beat per cycle,
//   segments back to back; s_axis stalls only before a first beat.
module kumi_tcp_rx_parse
  import kumi_tcp_pkg::*;
  import kumi_ip_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int DATA_W    = 64,   // bits of a beat, 64 to 512
    parameter int AW        = 10,   // bits of a buffer address
    parameter bit DROP_FULL = 1'b1  // 1: drop segments that find no space, 0: stall
) (
    input  logic                         clk,
    input  logic                         rst,
    input  tcp_cfg_t                     cfg,
    input  logic                         open,
           kumi_rec_if.snk               s_hdr,
           kumi_axis_if.snk              s_axis,
    input  logic                         slot_free,
    input  logic            [      AW:0] room,
    input  logic            [    AW-1:0] base,
    output logic                         begin_valid,
    output logic            [      15:0] begin_beats,
    output logic                         key_valid,
    input  logic                         key_ready,
    output tcp_tuple_t                   key,
    output logic                         head_valid,
    output tcp_header_t                  head,
    output logic                         end_valid,
    output tcp_rx_outcome_e              end_reason,
    output logic            [      15:0] end_beats,
    output logic                         sum_valid,
    output logic                         sum_ok,
    output logic                         st_valid,
    output logic            [    AW-1:0] st_addr,
    output logic            [DATA_W-1:0] st_data
);
  localparam int B = DATA_W / 8;
  localparam int LANE_W = $clog2(B);
  localparam int HEAD_BEATS = (60 + B - 1) / B;
  localparam int INDEX_W = $clog2(HEAD_BEATS + 1);

  if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be a power of two, 64 to 512 (%m)");
  end
  if (s_axis.DATA_W != DATA_W || s_hdr.W != IP_HDR_W) begin : gen_check_if
    $fatal(0, "s_axis or s_hdr has another width (%m)");
  end

  // ---- record ---------------------------------------------------------------------------------
  ip_hdr_t rec_in, rec_q;
  logic rec_valid_q, empty_q, short_q, starts;
  logic [15:0] need_q;  // beats of payload, at most
  logic [17:0] own_q;
  logic [18:0] pseudo_q;  // sum of the pseudo header

  assign rec_in = s_hdr.data;
  assign s_hdr.ready = !rec_valid_q || starts;

  always_ff @(posedge clk) begin
    // Local address and protocol are the same for all segments.
    own_q <= 18'(cfg.ip[31:16]) + 18'(cfg.ip[15:0]) + 18'd6;
    if (s_hdr.ready) begin
      rec_valid_q <= s_hdr.valid;
      rec_q <= rec_in;
      empty_q <= rec_in.length == '0;
      short_q <= rec_in.length < 16'd20;
      need_q <= rec_in.length < 16'd20 ? '0 : 16'((rec_in.length + 17'(B - 21)) >> LANE_W);
      pseudo_q <= 19'(rec_in.peer_ip[31:16]) + 19'(rec_in.peer_ip[15:0]) +
          19'(rec_in.length) + 19'(own_q);
    end
    if (rst) rec_valid_q <= 1'b0;
  end

  // ---- first beat -----------------------------------------------------------------------------
  logic first_q, go, beat, last, fits, waits, key_free;
  tcp_rx_outcome_e at_start;

  assign fits = need_q <= 16'(room);
  assign waits = !DROP_FULL && !fits && need_q <= 16'(1 << AW);
  assign key_free = !key_valid || key_ready;
  assign go = slot_free && key_free && !waits;

  assign starts = rec_valid_q && first_q && go && (empty_q || s_axis.tvalid);
  assign s_axis.tready = !first_q || (go && rec_valid_q && !empty_q);
  assign beat = starts || (!first_q && s_axis.tvalid);
  assign last = first_q ? empty_q || s_axis.tlast : s_axis.tlast;

  always_comb begin
    if (!open || !cfg.enable) at_start = RX_DROP_DISABLED;
    else if (rec_q.proto != 8'd6) at_start = RX_DROP_PROTO;
    else if (short_q) at_start = RX_DROP_SHORT;
    else if (!fits) at_start = RX_DROP_BUFFER_FULL;
    else at_start = RX_HIT;
  end

  assign begin_valid = starts;
  assign begin_beats = at_start == RX_HIT ? need_q : '0;

  // Bytes remaining with this beat, and its number in the segment.
  logic [16:0] left, left_q;
  logic [INDEX_W-1:0] index, index_q;
  assign left  = first_q ? {1'b0, rec_q.length} : left_q;
  assign index = first_q ? '0 : index_q;

  always_ff @(posedge clk) begin
    if (beat) begin
      first_q <= last;
      left_q  <= left > 17'(B) ? left - 17'(B) : '0;
      if (index != INDEX_W'(HEAD_BEATS)) index_q <= index + 1'b1;
      else index_q <= index;
    end
    if (rst) first_q <= 1'b1;
  end

  // ---- header fields, valid while the segment is in stage 1 -----------------------------------
  logic [59:0][7:0] h_q;
  logic [15:0] length_q, beats_q;
  logic [AW-1:0] base_q;
  logic [  31:0] peer_q;
  logic [NBR_W-1:0] neighbor, neighbor_q;
  logic ce_q;
  tcp_rx_outcome_e start_q;

  for (genvar n = 0; n < 60; n++) begin : gen_header
    always_ff @(posedge clk) begin
      if (beat && index == INDEX_W'(n / B)) h_q[n] <= s_axis.tdata[8*(n%B)+:8];
    end
  end

  always_comb begin
    neighbor = '0;
    for (int i = 0; i < 48; i += NBR_W) neighbor ^= rec_q.peer_mac[i+:NBR_W];
  end

  always_ff @(posedge clk) begin
    if (starts) begin
      length_q <= rec_q.length;
      neighbor_q <= neighbor;
      ce_q <= rec_q.ecn == 2'b11;
      peer_q <= rec_q.peer_ip;
      beats_q <= begin_beats;
      base_q <= base;
      start_q <= at_start;
    end
  end

  // ---- tuple ----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    if (key_ready) key_valid <= 1'b0;
    if (starts) begin
      key_valid <= 1'b1;
      key.peer_ip <= rec_q.peer_ip;
      key.peer_port <= {s_axis.tdata[7:0], s_axis.tdata[15:8]};
      key.local_port <= {s_axis.tdata[23:16], s_axis.tdata[31:24]};
    end
    if (rst) key_valid <= 1'b0;
  end

  // ---- checksum -------------------------------------------------------------------------------
  logic [15:0] sum;

  // With a carry the low bits are fewer than seven, so adding it cannot ripple.
  logic [16:0] fold;
  assign fold = 17'(pseudo_q[15:0]) + 17'(pseudo_q[18:16]);

  kumi_checksum #(
      .DATA_W(DATA_W)
  ) u_sum (
      .clk,
      .rst,
      .in_valid (beat),
      .in_last  (last),
      .in_data  (s_axis.tdata),
      .in_keep  (first_q && empty_q ? '0 : s_axis.tkeep),
      .in_seed  ({fold[15:3], fold[2:0] + 3'(fold[16])}),
      .out_valid(sum_valid),
      .out_sum  (sum)
  );
  assign sum_ok = sum == 16'hffff;

  // ---- stage 1: ends, header ------------------------------------------------------------------
  logic s1_valid_q, s1_last_q, s1_bad_q, s1_over_q, s1_wrong, s1_empty_q, wrong_q;
  logic [DATA_W-1:0] s1_data_q;
  logic [B-1:0] s1_keep_q, keep_wanted;
  logic [LANE_W:0] s1_left_q;  // bytes in the last beat
  logic [INDEX_W-1:0] s1_index_q;

  always_ff @(posedge clk) begin
    s1_valid_q <= beat && !rst;
    if (beat) begin
      s1_data_q  <= s_axis.tdata;
      s1_keep_q  <= s_axis.tkeep;
      s1_last_q  <= last;
      s1_bad_q   <= s_axis.tuser[0] && !(first_q && empty_q);
      s1_empty_q <= first_q && empty_q;
      s1_over_q  <= last ? left > 17'(B) : left <= 17'(B);
      s1_left_q  <= left[LANE_W:0];
      s1_index_q <= index;
    end
  end

  kumi_count_to_keep #(
      .KEEP_W(B)
  ) u_keep (
      .count(s1_left_q),
      .keep (keep_wanted)
  );

  logic [5:0] head_len;  // bytes
  logic [8:0] s1_end;  // end of the beat in the segment; don't care beyond the header
  logic head_here, head_q, offset_bad;
  assign head_len = {h_q[12][7:4], 2'b00};
  assign offset_bad = head_len < 6'd20 || 16'(head_len) > length_q;
  assign s1_wrong = !s1_empty_q && (s1_over_q || (s1_last_q && s1_keep_q != keep_wanted));

  // The header is complete with this beat, or truncated.
  assign s1_end = (9'(s1_index_q) + 9'd1) << LANE_W;
  assign head_here = s1_end > 9'd12 && s1_end >= 9'(head_len);
  assign head_valid = s1_valid_q && !head_q && (head_here || s1_last_q);
  assign end_valid = s1_valid_q && s1_last_q;
  assign end_beats = beats_q;

  always_comb begin
    end_reason = start_q;
    if (start_q == RX_HIT || start_q == RX_DROP_BUFFER_FULL || start_q == RX_DROP_SHORT) begin
      if (s1_bad_q || s1_wrong || wrong_q) end_reason = RX_DROP_BAD;
      else if (start_q != RX_DROP_SHORT && offset_bad) end_reason = RX_DROP_OFFSET;
    end
  end

  always_ff @(posedge clk) begin
    if (s1_valid_q) begin
      head_q  <= !s1_last_q && (head_q || head_here);
      wrong_q <= !s1_last_q && (wrong_q || s1_wrong);
    end
    if (rst) begin
      head_q  <= 1'b0;
      wrong_q <= 1'b0;
    end
  end

  always_comb begin
    head.neighbor = neighbor_q;
    head.ce = ce_q;
    head.tuple.peer_ip = peer_q;
    head.tuple.peer_port = {h_q[0], h_q[1]};
    head.tuple.local_port = {h_q[2], h_q[3]};
    head.seq = {h_q[4], h_q[5], h_q[6], h_q[7]};
    head.ack = {h_q[8], h_q[9], h_q[10], h_q[11]};
    head.flags = h_q[13];
    head.wnd = {h_q[14], h_q[15]};
    head.len = length_q - 16'(head_len);
    head.words = head_len < 6'd20 ? '0 : 4'(head_len[5:2] - 4'd5);
    head.bytes = h_q[59:20];
  end

  // ---- stage 2: payload alignment -------------------------------------------------------------
  // A beat waits here until the next one is in stage 1: each beat written to the buffer is cut
  // out of two, and there are never more of them than beats received.
  logic s2_valid_q, s2_last_q, step, write;
  logic [DATA_W-1:0] s2_data_q;
  logic [8:0] s2_end_q;
  logic [5:0] s2_head_q;
  logic [AW-1:0] s2_base_q;
  logic [15:0] s2_beats_q, written_q, written;
  logic [2*DATA_W-1:0] pair;

  assign step  = s2_valid_q && (s2_last_q || s1_valid_q);
  assign write = step && s2_end_q > 9'd12 && s2_end_q > 9'(s2_head_q) && written_q < s2_beats_q;
  assign pair  = {s1_data_q, s2_data_q};

  always_ff @(posedge clk) begin
    if (s1_valid_q) begin
      s2_data_q  <= s1_data_q;
      s2_last_q  <= s1_last_q;
      s2_end_q   <= s1_end;
      s2_head_q  <= head_len;
      s2_base_q  <= base_q;
      s2_beats_q <= beats_q;
    end
    if (step) s2_valid_q <= 1'b0;
    if (s1_valid_q) s2_valid_q <= 1'b1;
    if (step) written_q <= s2_last_q ? '0 : written;
    st_valid <= write;
    st_addr  <= s2_base_q + AW'(written_q);
    st_data  <= DATA_W'(pair >> {s2_head_q[LANE_W-1:0], 3'b000});
    if (rst) begin
      s2_valid_q <= 1'b0;
      written_q  <= '0;
      st_valid   <= 1'b0;
    end
  end
  assign written = written_q + 16'(write);

  logic unused;
  assign unused = ^{cfg, rec_q, h_q};
endmodule
