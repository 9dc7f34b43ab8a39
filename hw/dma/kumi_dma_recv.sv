// SPDX-License-Identifier: Apache-2.0
//
// Receive path of a DMA channel: packets of a stream, realigned to the buffers of descriptors.
//
// rst belongs to the channel; rst_ring is high also while the ring is stopped: the rest of a packet
//   interrupted so is dropped. run: packets are accepted, further bursts may start.
// s_axis: packets; tid goes into the completion. desc_*: descriptors in order, with their numbers.
// aw_*, w_*, b_*: bursts, see kumi_dma_s2mm. done_*: one completion per descriptor, in order.
// waiting: acknowledgements or completions are outstanding. active: a beat is between the parts.
// starved: the stream has a beat and there is no descriptor. ev_packet, ev_bad, ev_truncated: a
//   packet ended; it was marked bad; the rest of one was dropped.
// Throughput: a beat a cycle. Latency: 4 cycles of the realigner, and kumi_dma_s2mm.
module kumi_dma_recv
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W      = 64,    // bits of the bus and of the stream
    parameter int ADDR_W      = 64,    // bits of an address
    parameter int BURST_BYTES = 1024,  // longest burst
    parameter int WRITE_BEATS = 512,   // beats of the buffer toward memory
    parameter int OPEN        = 64     // bursts and descriptors in flight, a power of two
) (
    input logic clk,
    input logic rst,
    input logic rst_ring,
    input logic run,

    // packets and descriptors
    kumi_axis_if.snk s_axis,
    input logic desc_valid,
    output logic desc_ready,
    input dma_desc_t desc,
    input logic [15:0] desc_count,

    // memory
    output logic aw_valid,
    input logic aw_ready,
    output logic [ADDR_W-1:0] aw_addr,
    output logic [7:0] aw_len,
    output logic w_valid,
    input logic w_ready,
    output logic [DATA_W-1:0] w_data,
    output logic [DATA_W/8-1:0] w_strb,
    output logic w_last,
    input logic b_valid,
    input logic [1:0] b_resp,

    // completions
    output logic done_valid,
    input logic done_ready,
    output dma_completion_t done,
    output logic waiting,
    output logic active,
    output logic starved,
    output logic ev_packet,
    output logic ev_bad,
    output logic ev_truncated
);
  localparam int LANE_W = $clog2(DATA_W / 8);

  logic seg_valid, seg_ready, seg_start, seg_flush;
  logic [DATA_W-1:0] seg_data, out_data;
  logic [LANE_W-1:0] seg_lo, seg_lane;
  logic [LANE_W:0] seg_count;
  logic [DATA_W/8-1:0] out_keep;
  logic out_valid, out_ready, out_first, out_last, out_tag, out_user;
  logic unit_valid, unit_ready, end_valid, end_ready, end_empty;
  logic [ADDR_W-1:LANE_W] unit_addr;
  dma_completion_t end_done;

  kumi_dma_s2mm_split #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) u_split (
      .clk,
      .rst,
      .reset_ring(rst_ring),
      .run,
      .s_axis,
      .desc_valid,
      .desc_ready,
      .desc,
      .desc_count,
      .seg_valid,
      .seg_ready,
      .seg_data,
      .seg_lo,
      .seg_count,
      .seg_start,
      .seg_lane,
      .seg_flush,
      .unit_valid,
      .unit_ready,
      .unit_addr,
      .end_valid,
      .end_ready,
      .end_empty,
      .end_done,
      .starved,
      .ev_packet,
      .ev_bad,
      .ev_truncated
  );

  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .PIPE  (1'b1)
  ) u_realign (
      .clk,
      .rst(rst_ring),
      .s_data(seg_data),
      .s_lo(seg_lo),
      .s_count(seg_count),
      .s_start(seg_start),
      .s_lane(seg_lane),
      .s_tag(1'b0),
      .s_flush(seg_flush),
      .s_user(1'b0),
      .s_valid(seg_valid),
      .s_ready(seg_ready),
      .m_data(out_data),
      .m_keep(out_keep),
      .m_first(out_first),
      .m_last(out_last),
      .m_tag(out_tag),
      .m_user(out_user),
      .m_valid(out_valid),
      .m_ready(out_ready)
  );

  kumi_dma_s2mm #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(WRITE_BEATS),
      .OPEN(OPEN),
      .ENDS(OPEN)
  ) u_s2mm (
      .clk,
      .rst(rst_ring),
      .run,
      .s_valid(out_valid),
      .s_ready(out_ready),
      .s_data(out_data),
      .s_keep(out_keep),
      .s_last(out_last),
      .unit_valid,
      .unit_ready,
      .unit_addr,
      .end_valid,
      .end_ready,
      .end_empty,
      .end_done,
      .aw_valid,
      .aw_ready,
      .aw_addr,
      .aw_len,
      .w_valid,
      .w_ready,
      .w_data,
      .w_strb,
      .w_last,
      .b_valid,
      .b_resp,
      .done_valid,
      .done_ready,
      .done,
      .waiting
  );

  assign active = seg_valid || out_valid;

  logic unused;
  assign unused = ^{out_first, out_tag, out_user};
endmodule
