// SPDX-License-Identifier: Apache-2.0
//
// First-word-fall-through FIFO for a record stream, one clock.
//
// s_hdr, m_hdr: records, moved with valid and ready, one a cycle; no combinational path joins them.
// depth: records in the memory (0..DEPTH); one or two more wait in the output registers.
// Latency of an empty FIFO: 2 cycles up to 64 records (LUT RAM) or with STYLE 2, else 3.
module kumi_rec_fifo #(
    parameter int DEPTH = 16,  // records, a power of two
    parameter int STYLE = -1   // -1 by depth, 0 LUT RAM, 1 block RAM and register, 2 block RAM only
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hdr,
    kumi_rec_if.src m_hdr,
    output logic [$clog2(DEPTH):0] depth
);
  if (s_hdr.W != m_hdr.W) begin : gen_check_if
    $fatal(0, "s_hdr and m_hdr differ in width (%m)");
  end

  kumi_fifo #(
      .W(s_hdr.W),
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_fifo (
      .clk,
      .rst,
      .s_data (s_hdr.data),
      .s_valid(s_hdr.valid),
      .s_ready(s_hdr.ready),
      .m_data (m_hdr.data),
      .m_valid(m_hdr.valid),
      .m_ready(m_hdr.ready),
      .depth
  );
endmodule
