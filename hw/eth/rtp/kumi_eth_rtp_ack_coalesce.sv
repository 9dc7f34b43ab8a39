// SPDX-License-Identifier: Apache-2.0
//
// Queue of received acknowledgements in front of the transmit window. While one waits, later ones
// of the same association replace it, since acknowledgements are cumulative.
//
// s, m: valid and ready; m may change while it waits. Latency: 3 cycles.
module kumi_eth_rtp_ack_coalesce
  import kumi_eth_rtp_pkg::*;
(
    input  logic        clk,
    input  logic        rst,
    input  rtp_rx_ack_t s,
    input  logic        s_valid,
    output logic        s_ready,
    output rtp_rx_ack_t m,
    output logic        m_valid,
    input  logic        m_ready
);
  rtp_rx_ack_t head;
  logic head_valid, head_ready, fits;
  logic [ 4:0] depth;
  logic [31:0] step;

  kumi_fifo #(
      .W($bits(rtp_rx_ack_t)),
      .DEPTH(16)
  ) u_fifo (
      .clk,
      .rst,
      .s_data (s),
      .s_valid,
      .s_ready,
      .m_data (head),
      .m_valid(head_valid),
      .m_ready(head_ready),
      .depth
  );

  // The bitmap of an ACK is relative to its own number: only another ACK may replace it.
  assign step = head.ack - m.ack;
  assign fits = head.peer == m.peer && head.gen == m.gen && !step[31] && (head.full || !m.full);
  assign head_ready = !m_valid || m_ready || fits;

  always_ff @(posedge clk) begin
    if (m_ready) m_valid <= 1'b0;
    if (head_valid && head_ready) begin
      m       <= head;
      m.dup   <= head.dup || (m_valid && !m_ready && m.dup);
      m_valid <= 1'b1;
    end
    if (rst) m_valid <= 1'b0;
  end

  logic unused;
  assign unused = ^{depth, step};
endmodule
