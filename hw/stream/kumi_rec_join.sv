// SPDX-License-Identifier: Apache-2.0
//
// Connects two record streams by wires: s_rec is the sink's end of one, m_rec the source's of the
// other. For a module that passes members or elements of bundles on. Latency 0, no logic.
module kumi_rec_join (
    kumi_rec_if.snk s_rec,
    kumi_rec_if.src m_rec
);
  if (s_rec.W != m_rec.W) begin : gen_check_if
    $fatal(0, "s_rec and m_rec differ in width (%m)");
  end
  assign m_rec.data  = s_rec.data;
  assign m_rec.valid = s_rec.valid;
  assign s_rec.ready = m_rec.ready;
endmodule
