// SPDX-License-Identifier: Apache-2.0
//
// Message reassembly at the kernel's end of the receive buffer: joins frames to messages and hands
// out a record with each.
//
// f_*: read side of the kumi_eth_async_frame_fifo that kumi_eth_controller_rx writes.
// m_axis: with JOIN tlast ends a message, otherwise each frame; tuser[0] with tlast: truncated or
//   bad. With a wider tuser, bits 1 and 2 of each beat mark the first and the last frame of a
//   message.
// m_info: eth_rx_info_t, one per message with JOIN, otherwise one per frame, offered with the first
//   beat. The second beat waits for it; a kernel without use for it holds ready high.
// Bad input: a message that can no longer be completed is terminated by one beat of one byte with
//   tlast and tuser[0] before the next one starts.
// Latency: 0; one beat per cycle.
module kumi_eth_controller_reassembly
  import kumi_eth_controller_pkg::*;
#(
    parameter bit JOIN = 1'b1  // join frames to messages
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.src m_axis,
    kumi_rec_if.src  m_info,

    input  logic [         m_axis.DATA_W-1:0] f_data,
    input  logic [ $clog2(m_axis.KEEP_W)-1:0] f_count,
    input  logic                              f_last,
    input  logic                              f_bad,
    input  logic [$bits(eth_rx_info_t)+2-1:0] f_meta,
    input  logic                              f_valid,
    output logic                              f_ready
);
  if (m_info.W != $bits(eth_rx_info_t)) begin : gen_check_info
    $fatal(0, "m_info carries a eth_rx_info_t (%m)");
  end

  eth_rx_info_t info;
  logic begins, ends, broken, wants_info;
  logic ended_q;  // the aborted message before this frame has been terminated
  logic first_q;  // the next word is the first of its frame
  logic beat_q, info_q;  // beat or record accepted, the other pending
  logic [m_axis.KEEP_W-1:0] keep;

  kumi_eth_last_count_to_keep #(
      .KEEP_W(m_axis.KEEP_W)
  ) u_keep (
      .count(f_count),
      .last (f_last),
      .keep
  );

  assign {begins, ends, info} = f_meta;
  assign broken = first_q && begins && !ended_q;
  assign wants_info = first_q && (!JOIN || info.first);

  assign m_axis.tvalid = f_valid && !beat_q;
  assign m_axis.tdata = f_data;
  assign m_axis.tkeep = broken ? (m_axis.KEEP_W)'(1) : keep;
  assign m_axis.tlast = broken || (f_last && (ends || f_bad || !JOIN));
  assign m_axis.tuser = (m_axis.USER_W)'({info.last, info.first, broken || f_bad});
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;

  assign m_info.valid = f_valid && wants_info && !broken && !info_q;
  assign m_info.data = info;

  assign f_ready = !broken && (beat_q || m_axis.tready) && (!wants_info || info_q || m_info.ready);

  always_ff @(posedge clk) begin
    if (f_valid && f_ready) begin
      ended_q <= 1'b0;
      first_q <= f_last;
      beat_q  <= 1'b0;
      info_q  <= 1'b0;
    end else begin
      if (m_axis.tvalid && m_axis.tready) begin
        if (broken) ended_q <= 1'b1;
        else beat_q <= 1'b1;
      end
      if (m_info.valid && m_info.ready) info_q <= 1'b1;
    end
    if (rst) begin
      ended_q <= 1'b0;
      first_q <= 1'b1;
      beat_q  <= 1'b0;
      info_q  <= 1'b0;
    end
  end
endmodule
