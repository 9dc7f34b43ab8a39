// SPDX-License-Identifier: Apache-2.0
//
// Checks the ICRC (InfiniBand architecture, annex A17.3.3) of RoCEv2 packets among Ethernet frames.
//
// s_axis, m_axis: Ethernet frames without FCS, with or without one 802.1Q tag; all parameters of
//   the two must be equal. Every frame passes; an IPv4 packet to UDP port 4791 whose ICRC is wrong
//   leaves with tuser[0] set at tlast, so that the IP stack behind drops it, and ev_bad pulses.
//   It stands in front of the stack because the ICRC covers the whole IP header, identification
//   and flags included, which no record of the stack carries.
// Not judged (the stack drops them): IPv4 headers with options, packets longer than their frame or
//   too short for BTH and ICRC.
// Latency: that of kumi_crc32 (4 at 64 bits, 9 at 512) + 5 cycles, the same for every beat.
//   Throughput one beat a cycle. No combinational path joins the two sides.
//
// How: the CRC of a frame with masked bytes. In place of the Ethernet header it sees FF FF FF FF,
//   zeros, FF FF FF FF, which leave it as the 8 bytes of ones of the annex do: the first four turn
//   the start value into 0, zeros keep it there. What is behind the IP packet is left out.
module kumi_roce_icrc_check (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_bad
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int USER_W = s_axis.USER_W;
  localparam int SIDE_W = s_axis.ID_W + s_axis.DEST_W + USER_W;
  localparam int LANE_W = $clog2(KEEP_W);
  localparam logic [31:0] RESIDUE = 32'h2144_df1c;  // CRC of a frame with its own right CRC
  localparam int HEAD_BEATS = (64 + KEEP_W - 1) / KEEP_W;  // beats that may hold masked bytes
  localparam int INDEX_W = $clog2(HEAD_BEATS + 1);
  localparam int LEN_BEAT = 20 / KEEP_W;  // the beat with the IP packet's length, tag or not

  if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end
  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end

  // ---- beats, with what is known of their frame -------------------------------------------------
  typedef struct packed {
    logic [SIDE_W-1:0] side;
    logic              last;
    logic [KEEP_W-1:0] keep;
    logic [DATA_W-1:0] data;
  } roce_beat_t;

  typedef struct packed {
    logic [INDEX_W-1:0] index;  // of the beat in its frame, saturating
    logic               vlan;   // 802.1Q tag; valid from the second beat on, or in the only one
    logic               roce;   // so far nothing speaks against an IPv4 packet to UDP port 4791
  } roce_view_t;

  roce_beat_t a, b;
  logic a_valid, a_ready, b_valid, b_ready, c_valid, c_ready;

  kumi_slice #(
      .W($bits(roce_beat_t)),
      .MODE(2)
  ) u_in (
      .clk,
      .rst,
      .s_data ({s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data (a),
      .m_valid(a_valid),
      .m_ready(a_ready)
  );

  // Byte `at` of the frame, if it is in this beat.
  function automatic logic here(input logic [INDEX_W-1:0] index, input int at);
    return index == INDEX_W'(at / KEEP_W);
  endfunction

  function automatic logic [7:0] octet(input logic [DATA_W-1:0] data, input int at);
    return data[8*(at%KEEP_W)+:8];
  endfunction

  function automatic logic [15:0] field(input logic [DATA_W-1:0] data, input int at);
    return {octet(data, at), octet(data, at + 1)};
  endfunction

  roce_view_t a_view;
  logic vlan_q;
  logic roce_plain_q, roce_tag_q, roce_plain, roce_tag;
  logic [INDEX_W-1:0] index_q;

  // With a tag everything is 4 bytes further on.
  function automatic logic fits(input logic [INDEX_W-1:0] index, input logic [DATA_W-1:0] data,
                                input int tag);
    return !((here(index, 12 + tag) && field(data, 12 + tag) != 16'h0800) ||
             (here(index, 14 + tag) && octet(data, 14 + tag) != 8'h45) ||
             (here(index, 23 + tag) && octet(data, 23 + tag) != 8'd17) ||
             (here(index, 36 + tag) && field(data, 36 + tag) != 16'd4791));
  endfunction

  always_comb begin
    roce_plain = (index_q == '0 || roce_plain_q) && fits(index_q, a.data, 0);
    roce_tag = (index_q == '0 || roce_tag_q) && fits(index_q, a.data, 4);
    a_view.index = index_q;
    a_view.vlan = here(index_q, 12) ? field(a.data, 12) == 16'h8100 : vlan_q;
    a_view.roce = a_view.vlan ? roce_tag : roce_plain;
  end

  always_ff @(posedge clk) begin
    if (a_valid && a_ready) begin
      vlan_q <= a_view.vlan;
      roce_plain_q <= roce_plain;
      roce_tag_q <= roce_tag;
      if (a.last) index_q <= '0;
      else if (index_q != INDEX_W'(HEAD_BEATS)) index_q <= index_q + 1'b1;
    end
    if (rst) index_q <= '0;
  end

  // ---- where the IP packet ends -----------------------------------------------------------------
  roce_view_t b_view, c_view;
  roce_beat_t c;
  logic [16:0] b_left, c_left;  // bytes from the beginning of beat LEN_BEAT to the ICRC's end
  logic b_ends, c_ends;  // it ends in that beat
  logic b_long, c_long;  // it has room for the headers up to the BTH and an ICRC
  logic [15:0] b_total;

  kumi_slice #(
      .W($bits(roce_view_t) + $bits(roce_beat_t)),
      .MODE(3)
  ) u_view (
      .clk,
      .rst,
      .s_data ({a_view, a}),
      .s_valid(a_valid),
      .s_ready(a_ready),
      .m_data ({b_view, b}),
      .m_valid(b_valid),
      .m_ready(b_ready)
  );

  always_comb begin
    b_total = b_view.vlan ? field(b.data, 20) : field(b.data, 16);
    b_long  = b_total >= 16'd44;
    b_left  = {1'b0, b_total} + 17'((b_view.vlan ? 18 : 14) - LEN_BEAT * KEEP_W);
    // A length that ends before its own field is no packet; the sign bit counts as an end.
    b_ends  = b_left[16] || b_left <= 17'(KEEP_W);
  end

  kumi_slice #(
      .W(19 + $bits(roce_view_t) + $bits(roce_beat_t)),
      .MODE(3)
  ) u_left (
      .clk,
      .rst,
      .s_data ({b_long, b_ends, b_left, b_view, b}),
      .s_valid(b_valid),
      .s_ready(b_ready),
      .m_data ({c_long, c_ends, c_left, c_view, c}),
      .m_valid(c_valid),
      .m_ready(c_ready)
  );

  // ---- what the CRC sees ------------------------------------------------------------------------
  logic [16:0] left, left_q;
  logic [DATA_W-1:0] seen;
  logic [KEEP_W-1:0] seen_keep;
  logic ended_q, ends_q, ends, long_q, is_long, judged;

  assign left = here(c_view.index, 20) ? c_left : left_q;
  assign is_long = here(c_view.index, 20) ? c_long : long_q;
  assign ends = !ended_q && (here(c_view.index, 20) ? c_ends : ends_q);

  always_comb begin
    for (int i = 0; i < KEEP_W; i++) begin
      seen[8*i+:8] = c.data[8*i+:8];
      for (int beat = 0; beat < HEAD_BEATS; beat++) begin
        int at;
        at = beat * KEEP_W + i;
        if (c_view.index == INDEX_W'(beat)) begin
          // Ethernet header: FF FF FF FF, zeros, FF FF FF FF
          if (at < 4) seen[8*i+:8] = '1;
          else if (at < 10) seen[8*i+:8] = '0;
          else if (at < 14) seen[8*i+:8] = c_view.vlan ? '0 : '1;
          else if (at < 18 && c_view.vlan) seen[8*i+:8] = '1;
          // IPv4: type of service, TTL, checksum; UDP: checksum; BTH: reserved byte
          if (!c_view.vlan && (at == 15 || at == 22 || at == 24 || at == 25 || at == 40 || at == 41
                               || at == 46)) begin
            seen[8*i+:8] = '1;
          end
          if (c_view.vlan && (at == 19 || at == 26 || at == 28 || at == 29 || at == 44 || at == 45
                              || at == 50)) begin
            seen[8*i+:8] = '1;
          end
        end
      end
      // left is at most KEEP_W when the packet ends; below 0 any run of ones will do.
      seen_keep[i] = i == 0 || (c.keep[i] && !(ends && left[LANE_W:0] <= (LANE_W + 1)'(i)));
    end
  end

  // Right at the end of the IP packet, so that the residue means something.
  logic [LANE_W-1:0] last_lane;
  assign last_lane = left[LANE_W-1:0] - 1'b1;
  assign judged = c_view.roce && ends && is_long && c.keep[last_lane];

  logic judged_q, counts;
  assign counts = (INDEX_W + 1)'(c_view.index) + 1'b1 > (INDEX_W + 1)'(LEN_BEAT);
  always_ff @(posedge clk) begin
    if (c_valid && c_ready) begin
      long_q   <= is_long;
      left_q   <= left - 17'(KEEP_W);
      ends_q   <= counts && (left[16] || left <= 17'(2 * KEEP_W));
      ended_q  <= !c.last && (ended_q || ends);
      judged_q <= judged || (ended_q && judged_q);
    end
    if (c_valid && c_ready && c.last) ends_q <= 1'b0;
    if (rst) begin
      ended_q <= 1'b0;
      ends_q  <= 1'b0;
    end
  end

  // ---- the frame, delayed until its CRC is known ------------------------------------------------
  logic [DATA_W-1:0] data;
  logic [KEEP_W-1:0] keep;
  logic [SIDE_W-1:0] side;
  logic [31:0] crc;
  logic valid, ready, last, check, wrong;
  logic [USER_W-1:0] user;

  kumi_crc_align #(
      .DATA_W(DATA_W),
      .SIDE_W(1 + SIDE_W)
  ) u_hold (
      .clk,
      .rst,
      .s_data(c.data),
      .s_keep(c.keep),
      .s_last(c.last),
      .s_side({ended_q ? judged_q : judged, c.side}),
      .s_crc_valid(!ended_q),
      .s_crc_data(seen),
      .s_crc_keep(seen_keep),
      .s_crc_last(ends || c.last),
      .s_valid(c_valid),
      .s_ready(c_ready),
      .m_data(data),
      .m_keep(keep),
      .m_last(last),
      .m_side({check, side}),
      .m_valid(valid),
      .m_ready(ready),
      .m_crc(crc)
  );

  assign wrong = last && check && crc != RESIDUE;
  always_comb begin
    user = side[USER_W-1:0];
    if (wrong) user[0] = 1'b1;
  end

  always_ff @(posedge clk) ev_bad <= valid && ready && wrong && !rst;

  kumi_slice #(
      .W($bits(roce_beat_t)),
      .MODE(2)
  ) u_out (
      .clk,
      .rst,
      .s_data ({side[SIDE_W-1:USER_W], user, last, keep, data}),
      .s_valid(valid),
      .s_ready(ready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
