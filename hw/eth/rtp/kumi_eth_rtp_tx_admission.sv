// SPDX-License-Identifier: Apache-2.0
//
// Transmit admission: assigns each new frame its sequence number as soon as its peer has credit,
// and discards frames for peers that are not up.
//
// seg: frames in the retransmission buffer, in the kernel's order; peek_peer: the peer that comes
//   next. m_send: descriptor for the framer. A frame waits while its peer is up without credit,
//   that is with TX_WINDOW frames in flight or the next number at the limit.
// Tables: reads the association (conn), the transmit window (snd_una, limit) and the receiver's
//   next expected number (ack) at rd_peer. Owns `snd_nxt`, `map` (slot of a number) and `info`
//   (contents of a slot), written through snd_nxt_*, map_* and info_* for all readers.
// clear, clear_peer: the peer is down; resets its next number. Takes effect in the same cycle.
// fail_*: one report per discarded message. free_*: the slots of discarded frames.
// Latency: 2 cycles from seg_valid to m_valid, 1 if peek_peer announced the peer. One frame every
//   second cycle.
module kumi_eth_rtp_tx_admission
  import kumi_eth_rtp_pkg::*;
#(
    parameter int TX_WINDOW = 16,  // frames under way to one peer
    parameter int PEER_W    = 6,
    parameter int SLOT_W    = 5
) (
    input logic clk,
    input logic rst,

    input  rtp_seg_t        seg,
    input  logic            seg_valid,
    output logic            seg_ready,
    input  logic            more,       // another frame is arriving
    input  logic     [11:0] peek_peer,

    output logic      [PEER_W-1:0] rd_peer,
    input  rtp_conn_t              conn,
    input  logic      [      47:0] addr,
    input  logic      [      31:0] snd_una,  // not acknowledged
    input  logic      [      31:0] limit,
    input  logic      [      31:0] snd_nxt,
    input  logic      [      31:0] ack,

    output logic                                snd_nxt_wr,
    output logic [                  PEER_W-1:0] snd_nxt_peer,
    output logic [                        31:0] snd_nxt_data,
    output logic                                map_wr,
    output logic [PEER_W+$clog2(TX_WINDOW)-1:0] map_addr,
    output logic [                  SLOT_W-1:0] map_data,
    output logic                                info_wr,       // at map_data
    output logic [                        15:0] info_data,     // {len, first, last}

    input logic              clear,
    input logic [PEER_W-1:0] clear_peer,

    output rtp_tx_desc_t m_send,
    output logic         m_valid,
    input  logic         m_ready,

    output logic [ 7:0] free_slot,
    output logic        free_valid,
    input  logic        free_ready,
    output logic [11:0] fail_peer,
    output logic        fail_valid,
    input  logic        fail_ready,
    output logic        ev_message
);
  localparam int WIN_W = $clog2(TX_WINDOW);
  localparam int ASK = TX_WINDOW > 4 ? TX_WINDOW / 4 : 1;

  logic [11:0] read_q;  // peer whose entries the tables return
  logic stale_q;  // ... but one has just been written
  logic discard_q;  // the rest of this message is discarded
  logic [19:0] gen_q;  // association of the message's first frame
  logic known, fail, credit, act, send, swallow, report, ack_req;
  logic [31:0] used;
  logic [31:0] after;

  // The tables are read for the waiting frame, or ahead of time for the incoming one.
  assign rd_peer      = PEER_W'(seg_valid ? seg.peer : peek_peer);
  assign known        = seg_valid && read_q == seg.peer && !stale_q && !clear;

  assign fail         = seg.oob || !conn.up || (!seg.first && (discard_q || conn.gen != gen_q));
  assign used         = snd_nxt - snd_una;
  assign after        = snd_nxt + 32'd1;
  assign credit       = snd_nxt != limit && !used[WIN_W];
  assign report       = fail && (seg.first || !discard_q);
  assign swallow      = known && fail && free_ready && (!report || !fail_valid || fail_ready);
  assign send         = known && !fail && credit && (!m_valid || m_ready);
  assign act          = swallow || send;
  assign seg_ready    = act;

  // Request an ACK when no later frame would trigger one, and every quarter of a window once the
  // window is half full. The receiver advertises new credit unasked.
  assign ack_req      = (seg.last && !more) || (used[WIN_W-1] && (snd_nxt & 32'(ASK - 1)) == '0);

  assign snd_nxt_wr   = clear || send;
  assign snd_nxt_peer = clear ? clear_peer : PEER_W'(seg.peer);
  assign snd_nxt_data = clear ? '0 : after;
  assign map_wr       = send;
  assign map_addr     = {PEER_W'(seg.peer), snd_nxt[WIN_W-1:0]};
  assign map_data     = SLOT_W'(seg.slot);
  assign info_wr      = send;
  assign info_data    = {seg.len, seg.first, seg.last};

  assign free_slot    = seg.slot;
  assign free_valid   = known && fail && (!report || !fail_valid || fail_ready);

  always_ff @(posedge clk) begin
    read_q  <= seg_valid ? seg.peer : peek_peer;
    stale_q <= snd_nxt_wr;
    if (act) begin
      discard_q <= fail && !seg.last;
      if (seg.first) gen_q <= conn.gen;
    end
    if (fail_ready) fail_valid <= 1'b0;
    if (swallow && report) begin
      fail_valid <= 1'b1;
      fail_peer  <= seg.peer;
    end
    if (m_ready) m_valid <= 1'b0;
    if (send) begin
      m_valid <= 1'b1;
      m_send <= '{
          kind: RTP_DATA,
          flags: {1'b0, ack_req, seg.last, seg.first},
          peer: seg.peer,
          addr: addr,
          tag: conn.tag,
          seq: snd_nxt,
          ack: ack,
          len: seg.len,
          rtx: 1'b0,
          slot: seg.slot,
          base: seg.base,
          pay: '0
      };
    end
    ev_message <= send && seg.last;
    if (rst) begin
      stale_q    <= 1'b1;
      discard_q  <= 1'b0;
      fail_valid <= 1'b0;
      m_valid    <= 1'b0;
      ev_message <= 1'b0;
    end
  end
endmodule
