// SPDX-License-Identifier: Apache-2.0
//
// A kernel that passes records and payload on, and breaks a rule that `mistake` names.
module wrong_kernel
  import kumi_ip_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [3:0] mistake,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis
);
  logic odd_q;  // every second cycle
  always_ff @(posedge clk) odd_q <= rst ? 1'b0 : !odd_q;

  udp_hdr_t hdr;
  always_comb begin
    hdr = udp_hdr_t'(s_hdr.data);
    if (mistake == 1) hdr.length = hdr.length + 16'd8;  // longer than the payload
    if (mistake == 2) hdr.length = hdr.length - 16'd8;  // shorter
    if (mistake == 9) hdr.peer_port = {15'd0, odd_q};  // changes while it waits
  end
  assign m_hdr.data = hdr;
  assign m_hdr.valid = s_hdr.valid && mistake != 3;  // payload without a record
  assign s_hdr.ready = m_hdr.ready || mistake == 3;

  assign m_axis.tdata = s_axis.tdata ^ (mistake == 4 ? {63'd0, odd_q} : 64'd0);  // changes
  assign m_axis.tkeep = mistake == 5 && s_axis.tlast ? s_axis.tkeep & ~8'h01 : s_axis.tkeep;
  // 6: withdrawn; 7: a record without payload; 10: not taken
  assign m_axis.tvalid = s_axis.tvalid && !(mistake == 6 && odd_q) && mistake != 7 && mistake != 10;
  assign m_axis.tlast = s_axis.tlast && mistake != 8;  // frames without an end
  assign m_axis.tuser = s_axis.tuser;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign s_axis.tready = (m_axis.tready && !(mistake == 6 && odd_q) || mistake == 7) &&
      mistake != 10;
endmodule
