// SPDX-License-Identifier: Apache-2.0
//
// Reads packets out of the memory of a switch input, one after the other, also while they still
// come in (cut-through).
//
// rd_*: a packet to read, one or two cycles after rd_ready: fewer than AHEAD wait, at most EARLY
//   beats of those before it are left, and their ends have been announced. rd_beats: rd_len in
//   beats.
// closing: pulse, at most EARLY beats are left up to the end of the packet to closing_out; one for
//   each packet, in their order.
// m_*: beats, m_out the output that they go to; m_last with m_bad: the packet is bad (one that
//   turns out bad while it is read ends at once). Latency rd_* to m_* 4 cycles; one beat a cycle,
//   packets back to back.
// fin_*: the packet (or copy) is read. Other ports: see kumi_ib_switch_store.
module kumi_ib_switch_reader
  import kumi_ib_link_pkg::blocks_of;
#(
    parameter  int WORDS  = 2,
    parameter  int RINGS  = 5,
    parameter  int BLK_W  = 9,
    parameter  int OUT_W  = 4,
    parameter  int EARLY  = 12,                 // beats, below 16
    parameter  int AHEAD  = 4,                  // packets
    localparam int RING_W = $clog2(RINGS),
    localparam int BEAT_W = $clog2(16 / WORDS)
) (
    input logic clk,
    input logic rst,

    input  logic              rd_valid,
    output logic              rd_ready,
    input  logic [ BLK_W-1:0] rd_pkt,
    input  logic [      10:0] rd_len,
    input  logic [      10:0] rd_beats,
    input  logic [RING_W-1:0] rd_ring,
    input  logic              rd_mcast,
    input  logic [ OUT_W-1:0] rd_out,

    // Packet memory.
    input  logic                    live_valid,
    input  logic [ BLK_W-1:0]       live_pkt,
    input  logic [      10:0]       live_beats,
    input  logic                    end_valid,
    input  logic                    end_bad,
    output logic [ BLK_W-1:0]       bad_pkt,
    input  logic                    bad,
    output logic [ BLK_W-1:0]       blk,
    input  logic [ BLK_W-1:0]       next_blk,
    output logic                    mem_en,
    output logic [BEAT_W-1:0]       mem_beat,
    input  logic [ WORDS-1:0][31:0] mem_data,
    output logic                    fin_valid,
    output logic [ BLK_W-1:0]       fin_pkt,
    output logic [       6:0]       fin_blocks,
    output logic [RING_W-1:0]       fin_ring,
    output logic                    fin_mcast,

    // Beats.
    output logic                   closing,
    output logic [OUT_W-1:0]       closing_out,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic [WORDS-1:0][31:0] m_data,
    output logic                   m_half,
    output logic                   m_last,
    output logic                   m_bad,
    output logic [OUT_W-1:0]       m_out
);
  if (EARLY > 15) begin : gen_check_early
    $fatal(0, "EARLY must be below 16 (%m)");
  end

  typedef struct packed {
    logic [BLK_W-1:0]  pkt;
    logic [10:0]       len;
    logic [10:0]       beats;
    logic [RING_W-1:0] ring;
    logic              mcast;
    logic [OUT_W-1:0]  out;
  } read_packet_t;
  localparam int PACKET_W = BLK_W + 11 + 11 + RING_W + 1 + OUT_W;

  read_packet_t next, own_q;
  logic next_valid, list_ready, own_valid_q, follow_q, bad_q, live, promote;
  logic [BLK_W-1:0] blk_q, ahead_q;
  logic [10:0] beat_q, left_q;  // beats read, and left with the one at hand
  logic issue, final_beat, at_end, space;
  logic [3:0] fifo_depth;
  logic [$clog2(AHEAD):0] list_depth;

  kumi_fifo_bypass #(
      .W(PACKET_W),
      .DEPTH(AHEAD)
  ) u_list (
      .clk,
      .rst,
      .s_data ({rd_pkt, rd_len, rd_beats, rd_ring, rd_mcast, rd_out}),
      .s_valid(rd_valid),
      .s_ready(list_ready),
      .m_data (next),
      .m_valid(next_valid),
      .m_ready(promote),
      .depth  (list_depth)
  );

  // ---- Ends announced ---------------------------------------------------------------------------
  // Beats of the packets that have been accepted and begun, modulo 2^11: their difference waits.
  logic [10:0] accepted_q, begun_q, waits;
  logic tell_q, settle_q, early, early_q, tell;  // settle_q: `early` does not know of the packet
  logic [OUT_W-1:0] tell_out_q;

  assign waits = accepted_q - begun_q;
  assign early = waits[10:4] == '0 && left_q[10:4] == '0 &&
      5'(waits[3:0]) + 5'(left_q[3:0]) <= 5'(EARLY);
  assign tell = tell_q && !settle_q && early_q;

  always_ff @(posedge clk) begin
    early_q     <= early;
    rd_ready    <= list_ready && !rd_valid && (!tell_q || tell || early);  // `tell` of this edge on
    settle_q    <= rd_valid;
    closing     <= tell && !rst;
    closing_out <= tell_out_q;
    if (rd_valid) begin
      accepted_q <= accepted_q + rd_beats;
      tell_q     <= 1'b1;
      tell_out_q <= rd_out;
    end else if (tell) begin
      tell_q <= 1'b0;
    end
    if (promote) begun_q <= begun_q + next.beats;
    if (rst) begin
      accepted_q <= '0;
      begun_q    <= '0;
      tell_q     <= 1'b0;
      rd_ready   <= 1'b0;
      closing    <= 1'b0;
    end
  end

  // ---- The packet at hand -----------------------------------------------------------------------
  assign live = live_valid && live_pkt == next.pkt;
  assign bad_pkt = next.pkt;
  assign blk = blk_q;
  assign mem_beat = beat_q[BEAT_W-1:0];
  assign mem_en = issue;

  assign space = fifo_depth < 4'd5;
  assign at_end = left_q == 11'd1;
  assign final_beat = bad_q || at_end;
  assign issue = own_valid_q && space && (!follow_q || (beat_q < live_beats && !at_end));
  assign promote = next_valid && (!own_valid_q || (issue && final_beat));

  assign fin_valid = issue && final_beat;
  assign fin_pkt = own_q.pkt;
  assign fin_blocks = blocks_of(own_q.len);
  assign fin_ring = own_q.ring;
  assign fin_mcast = own_q.mcast;

  always_ff @(posedge clk) begin
    ahead_q <= next_blk;
    if (follow_q && end_valid) begin
      follow_q <= 1'b0;
      bad_q    <= end_bad;
    end
    if (issue) begin
      beat_q <= beat_q + 1'b1;
      left_q <= left_q - 1'b1;
      if (beat_q[BEAT_W-1:0] == '1) blk_q <= ahead_q;
      if (final_beat) begin
        own_valid_q <= 1'b0;
        left_q      <= '0;
      end
    end
    if (promote) begin
      own_valid_q <= 1'b1;
      own_q       <= next;
      blk_q       <= next.pkt;
      beat_q      <= '0;
      left_q      <= next.beats;
      follow_q    <= live;
      bad_q       <= !live && bad;
    end
    if (rst) begin
      own_valid_q <= 1'b0;
      left_q      <= '0;
      follow_q    <= 1'b0;
    end
  end

  // ---- Output -----------------------------------------------------------------------------------
  logic read_q, read_last_q, read_half_q, read_bad_q, fifo_ready;
  logic [OUT_W-1:0] read_out_q;

  always_ff @(posedge clk) begin
    read_q      <= issue && !rst;
    read_last_q <= final_beat;
    read_half_q <= WORDS == 2 && at_end && own_q.len[0];
    read_bad_q  <= bad_q;
    read_out_q  <= own_q.out;
  end

  kumi_fifo_bypass #(
      .W(32 * WORDS + 3 + OUT_W),
      .DEPTH(8)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({read_out_q, read_bad_q, read_half_q, read_last_q, mem_data}),
      .s_valid(read_q),
      .s_ready(fifo_ready),
      .m_data ({m_out, m_bad, m_half, m_last, m_data}),
      .m_valid,
      .m_ready,
      .depth  (fifo_depth)
  );

  logic unused;
  assign unused = ^{fifo_ready, list_depth, own_q};
endmodule
