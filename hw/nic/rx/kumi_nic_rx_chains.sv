// SPDX-License-Identifier: Apache-2.0
//
// Receive: chains that were chosen for frames, until their memory has been written.
//
// s_*: a chain and its queue; more: the frame goes on in the next one.
// done_*: descriptors that kumi_dma_recv has written, in order; flags.irq marks a chain's last one.
// m_used: chains with the bytes that they hold.
// failed_*: memory refused a frame of this queue; taken when failed_ready is high. busy: a chain is
//   here.
module kumi_nic_rx_chains
  import kumi_nic_pkg::*, kumi_dma_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic s_valid,
    output logic s_ready,
    input logic [7:0] s_queue,
    input logic [15:0] s_head,
    input logic [5:0] s_descs,
    input logic s_more,
    input logic done_valid,
    output logic done_ready,
    input dma_completion_t done,
    output logic m_used_valid,
    input logic m_used_ready,
    output nic_used_t m_used,
    output logic failed_valid,
    input logic failed_ready,
    output logic [7:0] failed_queue,
    output logic busy
);
  logic [ 7:0] vq;
  logic [15:0] head;
  logic [ 5:0] descs;
  logic more, valid;
  logic [31:0] filled_q;
  logic [ 7:0] depth;

  kumi_fifo #(
      .W(31),
      .DEPTH(128),
      .STYLE(0)
  ) u_chains (
      .clk,
      .rst,
      .s_data ({s_queue, s_head, s_descs, s_more}),
      .s_valid,
      .s_ready,
      .m_data ({vq, head, descs, more}),
      .m_valid(valid),
      .m_ready(m_used_valid && m_used_ready),
      .depth
  );

  assign done_ready = valid && (!done.irq || m_used_ready);
  assign m_used_valid = done_valid && done.irq && valid;
  assign m_used = '{
          vq: vq,
          head: head,
          descs: descs,
          length: filled_q + 32'(done.length),
          more: more
      };
  assign busy = valid;

  always_ff @(posedge clk) begin
    if (done_valid && done_ready) filled_q <= done.irq ? '0 : filled_q + 32'(done.length);
    if (failed_ready) failed_valid <= 1'b0;
    if (done_valid && done_ready && done.code != CODE_OK) begin
      failed_valid <= 1'b1;
      failed_queue <= vq;
    end
    if (rst) begin
      filled_q <= '0;
      failed_valid <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{done, depth};
endmodule
