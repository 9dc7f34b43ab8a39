// SPDX-License-Identifier: Apache-2.0
//
// Chooses the next event among the sources, round robin, and has the session's state read.
//
// src_*: one bit a source, in the order of SRC_*; `ev` must stand still while valid is high. may: a
//   source may be chosen now (there is room for what its event can cause).
// The choice is made one cycle after the last one was taken, and rd_en and rd_sid read the state at
//   once, or one cycle later if `writing` (some session's state is written now, which a read in the
//   same cycle might not see). One cycle after the read m_valid rises with the event on m_ev.
//   m_take ends it and takes the source.
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
