// SPDX-License-Identifier: Apache-2.0
//
// Event arbiter: selects the next event among the sources, round robin, and reads the session's
//   state.
//
// src_*: one bit per source, in the order of SRC_*; src_ev must remain stable while src_valid is
//   asserted. may: the source may be selected (its effects have space).
// The selection is made one cycle after the last event was accepted; rd_en and rd_sid read the
// state in the same cycle, or one cycle later if `writing` (a concurrent write that the read might
// miss). m_valid and m_ev follow one cycle after the read. m_take accepts the event and its source.
module kumi_tcp_event_arb
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int N = 6
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] src_valid,
    input tcp_event_t [N-1:0] src_ev,
    output logic [N-1:0] src_take,
    input logic [N-1:0] may,
    input logic writing,
    output logic rd_en,
    output logic [SID_W-1:0] rd_sid,
    output logic m_valid,
    output tcp_event_t m_ev,
    input logic m_take
);
  logic [N-1:0] grant, src_q;
  logic have_q, read_q, choose, at_once;
  logic [SID_W-1:0] sid, sid_q;

  assign choose  = !have_q && |grant;
  assign at_once = choose && !writing;

  kumi_arbiter #(
      .N(N)
  ) u_arb (
      .clk,
      .rst,
      .req (src_valid & may),
      .done(choose),
      .grant
  );

  always_comb begin
    sid = '0;
    for (int i = 0; i < N; i++) if (grant[i]) sid = sid | src_ev[i].sid;
  end

  always_comb begin
    m_ev = '0;
    for (int i = 0; i < N; i++) if (src_q[i]) m_ev = m_ev | src_ev[i];
  end

  always_ff @(posedge clk) begin
    if (choose) begin
      src_q <= grant;
      sid_q <= sid;
    end
    have_q <= choose || (have_q && !m_take);
    read_q <= at_once || (have_q && !m_take);
    if (rst) begin
      have_q <= 1'b0;
      read_q <= 1'b0;
    end
  end

  assign rd_en    = at_once || (have_q && !read_q);
  assign rd_sid   = have_q ? sid_q : sid;
  assign m_valid  = read_q;
  assign src_take = m_take ? src_q : '0;
endmodule
