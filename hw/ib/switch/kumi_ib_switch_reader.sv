// SPDX-License-Identifier: Apache-2.0
//
// Reads packets out of the memory of a switch input, one after the other, also while they still
// come in (cut-through).
//
// rd_*: next packet to read, accepted while the one before is being read. m_*: its beats, m_out the
//   output that it goes to; m_last with m_bad: it is bad (a packet that turns out bad while it is
//   read ends at once). Latency rd_* to m_* 4 cycles; one beat a cycle, packets back to back.
// closing: pulse, at most EARLY beats of the packet to closing_out are left; closing_ok: that, or
//   idle.
// fin_*: the packet (or copy) is read. Other ports: see kumi_ib_switch_store.
module kumi_ib_switch_reader
  import kumi_ib_link_pkg::blocks_of;
#(
    parameter  int WORDS  = 2,
    parameter  int RINGS  = 5,
    parameter  int BLK_W  = 9,
    parameter  int OUT_W  = 4,
    parameter  int EARLY  = 12,                 // beats
    localparam int RING_W = $clog2(RINGS),
    localparam int BEAT_W = $clog2(16 / WORDS)
) (
    input logic clk,
    input logic rst,

    input  logic              rd_valid,
    output logic              rd_ready,
    input  logic [ BLK_W-1:0] rd_pkt,
    input  logic [      10:0] rd_len,
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
    output logic                   closing_ok,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic [WORDS-1:0][31:0] m_data,
    output logic                   m_half,
    output logic                   m_last,
    output logic                   m_bad,
    output logic [OUT_W-1:0]       m_out
);
  typedef struct packed {
    logic [BLK_W-1:0]  pkt;
    logic [10:0]       len;
    logic [RING_W-1:0] ring;
    logic              mcast;
    logic [OUT_W-1:0]  out;
  } read_packet_t;

  read_packet_t next_q, own_q;
  logic next_valid_q, own_valid_q, follow_q, bad_q, told_q, live, promote;
  logic [BLK_W-1:0] blk_q, ahead_q;
  logic [10:0] beat_q, total_q;
  logic issue, final_beat, space, close;
  logic [3:0] fifo_depth;

  assign rd_ready = !next_valid_q;
  assign live = live_valid && live_pkt == next_q.pkt;
  assign bad_pkt = next_q.pkt;
  assign blk = blk_q;
  assign mem_beat = beat_q[BEAT_W-1:0];
  assign mem_en = issue;

  assign space = fifo_depth < 4'd5;
  assign final_beat = bad_q || beat_q == total_q - 1'b1;
  assign issue = own_valid_q && space &&
      (!follow_q || (beat_q < live_beats && beat_q != total_q - 1'b1));
  assign promote = next_valid_q && (!own_valid_q || (issue && final_beat));
  assign close = own_valid_q && (bad_q || beat_q + 11'(EARLY) >= total_q);
  assign closing_ok = !own_valid_q || told_q;

  assign fin_valid = issue && final_beat;
  assign fin_pkt = own_q.pkt;
  assign fin_blocks = blocks_of(own_q.len);
  assign fin_ring = own_q.ring;
  assign fin_mcast = own_q.mcast;

  always_ff @(posedge clk) begin
    ahead_q <= next_blk;
    closing <= close && !told_q;
    closing_out <= own_q.out;
    if (close) told_q <= 1'b1;
    if (follow_q && end_valid) begin
      follow_q <= 1'b0;
      bad_q    <= end_bad;
    end
    if (issue) begin
      beat_q <= beat_q + 1'b1;
      if (beat_q[BEAT_W-1:0] == '1) blk_q <= ahead_q;
      if (final_beat) own_valid_q <= 1'b0;
    end
    if (promote) begin
      own_valid_q <= 1'b1;
      own_q       <= next_q;
      blk_q       <= next_q.pkt;
      beat_q      <= '0;
      total_q     <= WORDS == 1 ? next_q.len : 11'((12'(next_q.len) + 12'd1) >> 1);
      follow_q    <= live;
      bad_q       <= !live && bad;
      told_q      <= 1'b0;
    end
    if (rd_valid && rd_ready) begin
      next_q       <= {rd_pkt, rd_len, rd_ring, rd_mcast, rd_out};
      next_valid_q <= 1'b1;
    end else if (promote) begin
      next_valid_q <= 1'b0;
    end
    if (rst) begin
      next_valid_q <= 1'b0;
      own_valid_q  <= 1'b0;
      closing      <= 1'b0;
      follow_q     <= 1'b0;
    end
  end

  // ---- Output -----------------------------------------------------------------------------------
  logic read_q, read_last_q, read_half_q, read_bad_q, fifo_ready;
  logic [OUT_W-1:0] read_out_q;

  always_ff @(posedge clk) begin
    read_q      <= issue && !rst;
    read_last_q <= final_beat;
    read_half_q <= WORDS == 2 && beat_q == total_q - 1'b1 && own_q.len[0];
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
  assign unused = fifo_ready;
endmodule
