// SPDX-License-Identifier: Apache-2.0
//
// Register slice for a record stream. MODE as in kumi_slice: 0 wires, 1 half, 2 skid, 3 forward.
//
// s_hdr, m_hdr: records, moved with valid and ready. Latency 1 (0 in mode 0).
module kumi_rec_reg #(
    parameter int MODE = 2  // 0 wires, 1 half, 2 skid, 3 forward
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hdr,
    kumi_rec_if.src m_hdr
);
  if (s_hdr.W != m_hdr.W) begin : gen_check_if
    $fatal(0, "s_hdr and m_hdr differ in width (%m)");
  end

  kumi_slice #(
      .W(s_hdr.W),
      .MODE(MODE)
  ) u_slice (
      .clk,
      .rst,
      .s_data (s_hdr.data),
      .s_valid(s_hdr.valid),
      .s_ready(s_hdr.ready),
      .m_data (m_hdr.data),
      .m_valid(m_hdr.valid),
      .m_ready(m_hdr.ready)
  );
endmodule
