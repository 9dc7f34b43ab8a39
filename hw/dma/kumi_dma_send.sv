// SPDX-License-Identifier: Apache-2.0
//
// Send path of a DMA channel: descriptors to read bursts, realigned to packets of a stream.
//
// rst belongs to the channel; reset_source is high while the ring is stopped, rst_ring with either:
//   a packet interrupted so ends with the bad mark (kumi_axis_terminate). run: further bursts may
//   start.
// s_*: descriptors in order, with their numbers. ar_*, r_*: bursts, see kumi_dma_mm2s.
// m_axis: packets, tdest from the descriptor. done_*: one completion per descriptor.
// waiting: beats are outstanding. active: a beat is between the parts or on the stream.
// ev_packet, ev_truncated: a packet ended; it was interrupted.
// Throughput: a beat a cycle. Latency: kumi_dma_mm2s, and 5 cycles from its segments to m_axis.
module kumi_dma_send
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W      = 64,    // bits of the bus and of the stream
    parameter int ADDR_W      = 64,    // bits of an address
    parameter int BURST_BYTES = 1024,  // longest burst
    parameter int READ_BEATS  = 512,   // beats in flight from memory
    parameter int METAS       = 64     // descriptors in flight, a power of two
) (
    input logic clk,
    input logic rst,
    input logic rst_ring,
    input logic reset_source,
    input logic run,

    // descriptors
    input logic s_valid,
    output logic s_ready,
    input dma_desc_t s_desc,
    input logic [15:0] s_count,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [ADDR_W-1:0] ar_addr,
    output logic [7:0] ar_len,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,

    // packets and completions
    kumi_axis_if.src m_axis,
    output logic done_valid,
    input logic done_ready,
    output dma_completion_t done,
    output logic waiting,
    output logic active,
    output logic ev_packet,
    output logic ev_truncated
);
  localparam int LANE_W = $clog2(DATA_W / 8);

  logic seg_valid, seg_ready, seg_start, seg_flush, seg_bad;
  logic [DATA_W-1:0] seg_data, out_data;
  logic [LANE_W-1:0] seg_lo;
  logic [  LANE_W:0] seg_count;
  logic [7:0] seg_dest, out_dest;
  logic [DATA_W/8-1:0] out_keep;
  logic out_valid, out_ready, out_first, out_last, out_tag, out_bad;

  kumi_dma_mm2s #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(READ_BEATS),
      .METAS(METAS)
  ) u_mm2s (
      .clk,
      .rst(rst_ring),
      .run,
      .s_valid,
      .s_ready,
      .s_desc,
      .s_count,
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .r_valid,
      .r_data,
      .r_resp,
      .seg_valid,
      .seg_ready,
      .seg_data,
      .seg_lo,
      .seg_count,
      .seg_start,
      .seg_flush,
      .seg_bad,
      .seg_dest,
      .done_valid,
      .done_ready,
      .done,
      .waiting
  );

  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .USER_W(9),
      .PIPE  (1'b1)
  ) u_realign (
      .clk,
      .rst(rst_ring),
      .s_data(seg_data),
      .s_lo(seg_lo),
      .s_count(seg_count),
      .s_start(seg_start),
      .s_lane('0),
      .s_tag(1'b0),
      .s_flush(seg_flush),
      .s_user({seg_dest, seg_bad}),
      .s_valid(seg_valid),
      .s_ready(seg_ready),
      .m_data(out_data),
      .m_keep(out_keep),
      .m_first(out_first),
      .m_last(out_last),
      .m_tag(out_tag),
      .m_user({out_dest, out_bad}),
      .m_valid(out_valid),
      .m_ready(out_ready)
  );

  kumi_axis_terminate u_terminate (
      .clk,
      .rst,
      .reset_source,
      .m_axis,
      .s_data (out_data),
      .s_keep (out_keep),
      .s_last (out_last),
      .s_bad  (out_bad),
      .s_dest (out_dest),
      .s_valid(out_valid),
      .s_ready(out_ready),
      .ev_packet,
      .ev_truncated
  );

  assign active = out_valid || m_axis.tvalid;

  logic unused;
  assign unused = ^{out_first, out_tag};
endmodule
