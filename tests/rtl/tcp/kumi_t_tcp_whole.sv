// SPDX-License-Identifier: Apache-2.0
//
// Joins two halves of a record, as split by kumi_t_tcp_halves. They move in the same cycle.
module kumi_t_tcp_whole (
    kumi_rec_if.snk s_low,
    kumi_rec_if.snk s_high,
    kumi_rec_if.src m_hdr
);
  assign m_hdr.data   = {s_high.data, s_low.data};
  assign m_hdr.valid  = s_low.valid && s_high.valid;
  assign s_low.ready  = m_hdr.ready && s_high.valid;
  assign s_high.ready = m_hdr.ready && s_low.valid;
endmodule
