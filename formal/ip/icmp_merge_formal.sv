// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_icmp_merge: replies and errors of any length, at any back-pressure.
//
// Proved: at the output every payload belongs to the oldest record without one, so a reply never
//   gets the bytes of an error, nor the other way; and a payload never precedes its record.
// Assumed at the inputs: the stream contract. A record is accepted for each payload in time or
//   later; the unit waits for it.
`include "kumi_assert.svh"
module icmp_merge_formal
  import kumi_ip_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic e_valid,
    input logic e_p_valid,
    input logic e_p_last,
    input logic u_valid,
    input logic u_p_valid,
    input logic u_p_last,
    input logic t_ready,
    input logic p_ready
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  ip_tx_t e, u, t;
  logic e_ready, e_p_ready, u_ready, u_p_ready, t_valid, p_valid, p_last;
  logic [7:0] p_data;
  logic p_keep;
  always_comb begin
    {e, u}  = '0;
    u.ip[0] = 1'b1;
  end

  kumi_icmp_merge #(
      .DATA_W(8)
  ) u_merge (
      .clk,
      .rst,
      .e,
      .e_valid,
      .e_ready,
      .e_p_data(8'h00),
      .e_p_keep(1'b1),
      .e_p_valid,
      .e_p_ready,
      .e_p_last,
      .u,
      .u_valid,
      .u_ready,
      .u_p_data(8'h01),
      .u_p_keep(1'b1),
      .u_p_valid,
      .u_p_ready,
      .u_p_last,
      .t,
      .t_valid,
      .t_ready,
      .p_data,
      .p_keep,
      .p_valid,
      .p_ready,
      .p_last
  );

  // What waits stays.
  logic e_wait_q, u_wait_q, e_p_wait_q, u_p_wait_q, e_last_q, u_last_q;
  always_ff @(posedge clk) begin
    e_wait_q <= e_valid && !e_ready && !rst;
    u_wait_q <= u_valid && !u_ready && !rst;
    e_p_wait_q <= e_p_valid && !e_p_ready && !rst;
    u_p_wait_q <= u_p_valid && !u_p_ready && !rst;
    {e_last_q, u_last_q} <= {e_p_last, u_p_last};
  end
  `KUMI_ASSUME(m_e, !e_wait_q || e_valid)
  `KUMI_ASSUME(m_u, !u_wait_q || u_valid)
  `KUMI_ASSUME(m_e_p, !e_p_wait_q || (e_p_valid && e_p_last == e_last_q))
  `KUMI_ASSUME(m_u_p, !u_p_wait_q || (u_p_valid && u_p_last == u_last_q))

  // Records given to t whose payload has not left p: a list of sources, the oldest in bit 0.
  localparam int DEPTH = 18;
  logic [DEPTH-1:0] kinds_q, kinds;
  logic [4:0] count_q, count;
  logic begun, ended;
  assign begun = (e_valid && e_ready) || (u_valid && u_ready);
  assign ended = p_valid && p_ready && p_last;
  always_comb begin
    kinds = kinds_q;
    count = count_q;
    if (ended) begin
      kinds = kinds >> 1;
      count = count - 1'b1;
    end
    if (begun) begin
      kinds[count] = u_valid && u_ready;
      count = count + 1'b1;
    end
  end
  always_ff @(posedge clk) begin
    kinds_q <= kinds;
    count_q <= count;
    if (rst) begin
      kinds_q <= '0;
      count_q <= '0;
    end
  end

  `KUMI_ASSERT(a_belongs, !p_valid || (count_q != '0 && kinds_q[0] == p_data[0]))
  // What leads there: outstanding are either replies or one error, behind what p still holds.
  logic [4:0] behind;
  logic whole;  // the end of a payload is in p
  assign whole  = p_valid && p_last;
  assign behind = count_q - 5'(whole);
  logic [DEPTH-1:0] rest, mask;
  assign rest = whole ? kinds_q >> 1 : kinds_q;
  assign mask = DEPTH'((1 << behind) - 1);
  `KUMI_ASSERT(a_one_kind, !(u_merge.error_q && u_merge.open_q != '0))
  `KUMI_ASSERT(a_count, behind == u_merge.open_q + 5'(u_merge.error_q) && behind <= 5'd16)
  `KUMI_ASSERT(a_kinds, (rest & mask) == (u_merge.error_q ? mask : '0) && (kinds_q >> count_q) == 0)
  `KUMI_ASSERT(a_after, !p_valid || p_last || (p_data[0] == u_merge.error_q && behind != '0))
  `KUMI_COVER(c_between, ended && !p_data[0] && u_merge.error_q && e_valid)
  `KUMI_COVER(c_error_then_reply, t_valid && t_ready && !t.ip[0] && ended && p_data[0])

  logic unused;
  assign unused = &{p_keep, t};
endmodule
