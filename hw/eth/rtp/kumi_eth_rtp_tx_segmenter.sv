// SPDX-License-Identifier: Apache-2.0
//
// Segmenter: cuts the kernel's messages into frame payloads and writes them to slots of the
// retransmission buffer.
//
// s_msg: messages; tdest with the first beat. All frames of a message but the last carry `quota`
//   whole words, so the header shifts the data by a constant number of bytes.
// free_*: free slots. w_*: writes to the buffer. seg: one record per frame, after its last word.
// live_peer: the peer of the incoming message, for look-ahead.
// cfg_mtu: constant in use; clamped to header plus one word and to MTU.
// Latency: one cycle from the last word to seg_valid; one word per cycle while slots are free.
// Bad input: a message marked bad is dropped if it fits one frame; otherwise its last frame is
//   replaced by an empty one, which tells the receiver. ev_bad pulses.
module kumi_eth_rtp_tx_segmenter
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS = 64,    // entries of the peer table
    parameter int MTU   = 9216,  // bytes of the longest frame
    parameter int WORDS = 287,   // words of a slot
    parameter int DEPTH = 9184   // words of the buffer
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_msg,
    input logic [13:0] cfg_mtu,

    input  logic [7:0] free_slot,
    input  logic       free_valid,
    output logic       free_ready,

    output logic                     w_en,
    output logic [$clog2(DEPTH)-1:0] w_addr,
    output logic [ s_msg.DATA_W-1:0] w_data,

    output rtp_seg_t seg,
    output logic    seg_valid,
    input  logic    seg_ready,

    output logic [11:0] live_peer,
    output logic        slot_ready,  // one more frame can be accepted
    output logic        in_message,
    output logic        ev_bad
);
  localparam int KEEP_W = s_msg.KEEP_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int COUNT_W = 15 - LOG;
  localparam int ADDR_W = $clog2(DEPTH);

  logic [13:0] mtu;
  logic [COUNT_W-1:0] quota_q, words_q;
  logic [LOG:0] bytes;
  logic [ADDR_W-1:0] addr_q, base_q, next_base_q;
  logic [7:0] slot_q, next_slot_q;
  logic have_q, next_q;  // current slot, next slot
  logic open_q, first_q, oob_q, oob;  // in a message; the next frame is its first
  logic [11:0] peer_q;
  logic beat, full, ends, bad, drop;

  always_comb begin
    mtu = cfg_mtu;
    if (mtu > 14'(MTU)) mtu = 14'(MTU);
    if (mtu < 14'(RTP_HEADER + KEEP_W)) mtu = 14'(RTP_HEADER + KEEP_W);
  end

  kumi_keep_to_count #(
      .KEEP_W(KEEP_W)
  ) u_count (
      .keep (s_msg.tkeep),
      .count(bytes)
  );

  assign s_msg.tready = have_q && (!seg_valid || seg_ready);
  assign beat = s_msg.tvalid && s_msg.tready;
  assign full = words_q == quota_q;
  assign bad = s_msg.tlast && s_msg.tuser[0];
  assign drop = bad && first_q;
  assign ends = beat && (full || s_msg.tlast);
  assign oob = open_q ? oob_q : 32'(s_msg.tdest) >= PEERS;
  assign live_peer = open_q ? peer_q : 12'(s_msg.tdest);
  assign in_message = open_q || seg_valid;
  assign slot_ready = have_q || next_q;

  assign w_en = beat;
  assign w_addr = addr_q;
  assign w_data = s_msg.tdata;
  assign free_ready = !next_q || (ends && !drop) || !have_q;

  always_ff @(posedge clk) begin
    quota_q <= COUNT_W'((mtu - 14'(RTP_HEADER)) >> LOG);
    if (beat) begin
      open_q <= !s_msg.tlast;
      peer_q <= live_peer;
      oob_q  <= oob;
      if (s_msg.tlast) first_q <= 1'b1;
      else if (ends) first_q <= 1'b0;
      words_q <= ends ? COUNT_W'(1) : words_q + 1'b1;
      addr_q  <= addr_q + 1'b1;
    end
    // Slots.
    if ((ends && !drop) || !have_q) begin
      have_q <= next_q;
      slot_q <= next_slot_q;
      base_q <= next_base_q;
      addr_q <= next_base_q;
    end else if (ends) begin
      addr_q <= base_q;
    end
    if (free_ready) begin
      next_q      <= free_valid;
      next_slot_q <= free_slot;
      next_base_q <= ADDR_W'(32'(free_slot) * WORDS);
    end
    // Records.
    if (seg_ready) seg_valid <= 1'b0;
    if (ends && !drop) begin
      seg_valid <= 1'b1;
      seg.peer  <= live_peer;
      seg.oob   <= oob;
      seg.slot  <= slot_q;
      seg.base  <= 32'(base_q);
      seg.len   <= bad ? '0 : 14'(words_q - 1'b1) * 14'(KEEP_W) + 14'(bytes);
      seg.first <= first_q;
      seg.last  <= s_msg.tlast;
    end
    ev_bad <= ends && bad;
    if (rst) begin
      have_q    <= 1'b0;
      next_q    <= 1'b0;
      open_q    <= 1'b0;
      first_q   <= 1'b1;
      words_q   <= COUNT_W'(1);
      seg_valid <= 1'b0;
      ev_bad    <= 1'b0;
    end
  end
endmodule
