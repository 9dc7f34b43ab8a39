// SPDX-License-Identifier: Apache-2.0
//
// Event arbiter: selects the next event among the sources and reads the session's state.
//
// src_*: one bit per source, in the order of SRC_*; src_valid and src_ev must remain stable until
//   src_take. may: the source may be selected (its effects have space). Both are sampled, so `may`
//   counts as it was one cycle before the selection.
// Received segments (bit 0) have every second turn, the other sources the rest, round robin: the
//   line brings segments at a rate of its own, while reports of the memories and turns in the
//   output queue coalesce when they wait.
// waiting: a source could be selected.
// The selection is made one cycle after the last event was accepted, and one cycle after its
// source was sampled; rd_en and rd_sid read the state in the same cycle, or one cycle later if
// `writing` (a concurrent write that the read might miss). m_valid and m_ev follow one cycle after
// the read. m_take accepts the event and its source.
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
    output logic waiting,
    input logic writing,
    output logic rd_en,
    output logic [SID_W-1:0] rd_sid,
    output logic m_valid,
    output tcp_event_t m_ev,
    input logic m_take
);
  logic [N-1:0] ready_q, grant, src_q;
  logic [N-2:0] other;
  logic have_q, read_q, choose, at_once, segment, after_q;
  logic [SID_W-1:0] sid, sid_q;

  assign waiting = ready_q != '0;
  assign choose  = !have_q && waiting;
  assign at_once = choose && !writing;

  kumi_arbiter #(
      .N(N - 1)
  ) u_arb (
      .clk,
      .rst,
      .req  (ready_q[N-1:1]),
      .done (choose && !segment),
      .grant(other)
  );

  // after_q: the last event was a segment.
  assign segment = ready_q[0] && (!after_q || ready_q[N-1:1] == '0);
  assign grant   = segment ? N'(1) : {other, 1'b0};

  always_comb begin
    sid = '0;
    for (int i = 0; i < N; i++) if (grant[i]) sid = sid | src_ev[i].sid;
  end

  always_comb begin
    m_ev = '0;
    for (int i = 0; i < N; i++) if (src_q[i]) m_ev = m_ev | src_ev[i];
  end

  always_ff @(posedge clk) begin
    ready_q <= src_valid & may & ~src_take;
    if (choose) begin
      after_q <= segment;
      src_q   <= grant;
      sid_q   <= sid;
    end
    have_q <= choose || (have_q && !m_take);
    read_q <= at_once || (have_q && !m_take);
    if (rst) begin
      ready_q <= '0;
      after_q <= 1'b0;
      have_q  <= 1'b0;
      read_q  <= 1'b0;
    end
  end

  assign rd_en    = at_once || (have_q && !read_q);
  assign rd_sid   = have_q ? sid_q : sid;
  assign m_valid  = read_q;
  assign src_take = m_take ? src_q : '0;
endmodule
