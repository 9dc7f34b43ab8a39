// SPDX-License-Identifier: Apache-2.0
//
// Splits a record wider than a port of the test bench in two halves that move in the same cycle.
module kumi_t_tcp_halves (
    kumi_rec_if.snk s_hdr,
    kumi_rec_if.src m_low,
    kumi_rec_if.src m_high
);
  assign {m_high.data, m_low.data} = s_hdr.data;
  assign m_low.valid = s_hdr.valid && s_hdr.ready;
  assign m_high.valid = s_hdr.valid && s_hdr.ready;
  assign s_hdr.ready = m_low.ready && m_high.ready;
endmodule
