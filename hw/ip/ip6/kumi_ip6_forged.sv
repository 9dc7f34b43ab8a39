// SPDX-License-Identifier: Apache-2.0
//
// Marks frames that would pass for a peer of IPv6 at the IPv4 stack.
//
// s_axis, m_axis: Ethernet frames; unchanged but for tuser[0] with tlast, which is also set where
//   the source is a MAC address of HANDLE_OUI or an IPv4 address of HANDLE_NET, with or without a
//   VLAN tag. ev_forged: one of these ended.
// Latency 1 cycle, one beat a cycle.
module kumi_ip6_forged
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_forged
);
  localparam int B = DATA_W / 8;
  localparam int LOOKED_AT = 31;  // bytes from the beginning
  localparam int INDEX_W = $clog2((LOOKED_AT - 1) / B + 2);
  localparam logic [15:0] IP4 = 16'h0800, VLAN = 16'h8100;

  // The bytes looked at, of the beats before and of this one; 0 behind the frame's end.
  logic [LOOKED_AT-1:0][7:0] seen_q, seen;
  logic [INDEX_W-1:0] index_q;
  logic beat, forged, has_tag, marked;

  for (genvar n = 0; n < LOOKED_AT; n++) begin : gen_seen
    assign seen[n] = index_q != INDEX_W'(n / B) ? seen_q[n]
        : s_axis.tdata[8*(n%B)+:8] & {8{s_axis.tkeep[n%B]}};
    always_ff @(posedge clk) begin
      if (beat) seen_q[n] <= s_axis.tlast ? '0 : seen[n];
      if (rst) seen_q[n] <= '0;
    end
  end

  assign beat = s_axis.tvalid && s_axis.tready;
  assign has_tag = {seen[12], seen[13]} == VLAN;
  assign forged = {seen[6], seen[7]} == HANDLE_OUI
      || ({seen[12], seen[13]} == IP4 && seen[26][7:4] == HANDLE_NET)
      || (has_tag && {seen[16], seen[17]} == IP4 && seen[30][7:4] == HANDLE_NET);

  assign marked = s_axis.tlast && forged;
  assign s_axis.tready = !m_axis.tvalid || m_axis.tready;

  always_ff @(posedge clk) begin
    if (s_axis.tready) begin
      m_axis.tvalid <= s_axis.tvalid;
      m_axis.tdata <= s_axis.tdata;
      m_axis.tkeep <= s_axis.tkeep;
      m_axis.tlast <= s_axis.tlast;
      m_axis.tuser <= s_axis.tuser | m_axis.USER_W'(marked);
      m_axis.tid <= s_axis.tid;
      m_axis.tdest <= s_axis.tdest;
    end
    if (beat) begin
      if (s_axis.tlast) index_q <= '0;
      else if (index_q <= INDEX_W'((LOOKED_AT - 1) / B)) index_q <= index_q + 1'b1;
    end
    ev_forged <= beat && marked;
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      index_q <= '0;
      ev_forged <= 1'b0;
    end
  end
endmodule
