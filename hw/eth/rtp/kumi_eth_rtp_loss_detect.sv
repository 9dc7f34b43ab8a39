// SPDX-License-Identifier: Apache-2.0
//
// Loss detection of the transmit window: decides for one slot after the other whether its frame was
// lost and has to be retransmitted, and remembers per slot what is known about it.
//
// rd_slot: slot whose mark is read; the other inputs belong to it one cycle later, with valid high.
//   walk: what is done with it. sent: its transmission record; seq: low bits of the number that it
//   should hold; arrived: the selective acknowledgement covers it.
// srtt, rtt_known, top, top_known, threshold: state of the peer, see kumi_eth_rtp_tx_window.
// in_use, age, newer, requeue: combinational. in_use: the record belongs to seq; age: ticks since
//   its transmission; newer: it proves the arrival of a later transmission than `top`; requeue: it
//   is to be retransmitted, in a cycle with rtx_ready.
// clear: clears the mark of clear_slot, after reset for each slot.
module kumi_eth_rtp_loss_detect
  import kumi_eth_rtp_pkg::*;
#(
    parameter int SLOT_W = 5
) (
    input logic clk,
    input logic clear,
    input logic [SLOT_W-1:0] clear_slot,
    input logic [23:0] tick,

    input logic           [SLOT_W-1:0] rd_slot,
    input logic                        valid,
    input rtp_walk_e                   walk,
    input logic           [SLOT_W-1:0] slot,
    input logic           [       7:0] seq,
    input rtp_tx_record_t              sent,
    input logic                        arrived,

    input logic [22:0] srtt,
    input logic        rtt_known,
    input logic [15:0] top,
    input logic        top_known,
    input logic [ 4:0] threshold,
    input logic        rtx_ready,

    output logic        in_use,
    output logic [23:0] age,
    output logic        newer,
    output logic        requeue
);
  typedef struct packed {
    logic        arrived;  // out of order
    logic        queued;   // queued for retransmission, valid while its last transmission is
    logic [15:0] order;    // this one
  } rtp_loss_detect_mark_t;

  rtp_loss_detect_mark_t mark, mark_new;
  logic mark_wr, was_queued, credible, overtaken;
  logic [15:0] ahead, behind;

  kumi_ram_sdp #(
      .W($bits(rtp_loss_detect_mark_t)),
      .DEPTH(1 << SLOT_W),
      .RDW(1),
      .STYLE(2)
  ) u_mark (
      .clk,
      .wr_en  (mark_wr),
      .wr_addr(clear ? clear_slot : slot),
      .wr_data(mark_new),
      .rd_en  (1'b1),
      .rd_addr(rd_slot),
      .rd_data(mark)
  );

  // The record belongs to this number, not to an earlier use of the slot.
  assign in_use = sent.seq == seq;
  assign was_queued = mark.queued && mark.order == sent.order;
  assign ahead = sent.order - top;
  assign behind = top - sent.order;
  assign age = tick - sent.at;
  // After a retransmission the first copy may be the one that arrived: attribute it to the second
  // only if enough time has passed.
  assign credible = !sent.rtx || !rtt_known || age >= 24'(srtt[22:4]);
  assign newer = in_use && credible && (!top_known || !ahead[15]);
  assign overtaken = in_use && !mark.arrived && !was_queued && top_known && !behind[15]
      && behind >= 16'(threshold);
  assign requeue = valid && rtx_ready && ((walk == RTP_WALK_LOST && overtaken)
      || (walk == RTP_WALK_HEAD && in_use && !was_queued));

  always_comb begin
    mark_wr  = 1'b0;
    mark_new = '0;
    if (clear) begin
      mark_wr = 1'b1;
    end else if (valid) begin
      unique case (walk)
        RTP_WALK_FREE: mark_wr = 1'b1;
        RTP_WALK_MARK: begin
          mark_wr  = arrived;
          mark_new = '{arrived: 1'b1, queued: 1'b0, order: '0};
        end
        default: begin
          mark_wr  = requeue;
          mark_new = '{arrived: 1'b0, queued: 1'b1, order: sent.order};
        end
      endcase
    end
  end

  logic unused;
  assign unused = ^{ahead, sent, srtt};
endmodule
