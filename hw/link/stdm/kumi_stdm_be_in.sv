// SPDX-License-Identifier: Apache-2.0
//
// Best-effort input of one link: turns received words into well-formed packets: head, data, tail.
//
// s_*: at most one word per cycle, s_valid at positions that the tables give to best effort, no
//   back-pressure; an empty word counts too, its bit EMPTY_OPEN says whether the sender is inside a
//   packet. up: the link's TDM frames are aligned.
// m_*: words of packets; each starts with a head and ends with a tail. m_ready may stall.
// xoff: more than 3/8 of the buffer is in use, the sender should stop. The other 5/8 hold what is
//   in flight: up to a TDM frame and twice the link's latency.
// Latency: 3 cycles (2 up to a DEPTH of 64).
// Bad input: a packet that loses its tail, is interrupted by another head, or overflows the buffer
//   ends with a tail that has the abort bit; words up to the next head are dropped. broken and full
//   pulse once per packet. So no packet stays open, and none is continued by another.
module kumi_stdm_be_in
  import kumi_stdm_pkg::*;
#(
    parameter int W     = 64,  // bits of a word
    parameter int DEPTH = 512  // words, a power of two, at least 16
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         up,
    input  logic         s_valid,
    input  logic [  1:0] s_kind,
    input  logic [W-1:0] s_data,
    output logic [  1:0] m_kind,
    output logic [W-1:0] m_data,
    output logic         m_valid,
    input  logic         m_ready,
    output logic         xoff,
    output logic         broken,
    output logic         full
);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam logic [ADDR_W:0] XOFF_AT = (ADDR_W + 1)'(DEPTH * 3 / 8);
  localparam logic [ADDR_W:0] LIMIT = (ADDR_W + 1)'(DEPTH - 4);  // beyond it only tails are written

  logic valid_q, up_q;
  logic [  1:0] kind_q;
  logic [W-1:0] data_q;
  logic open_q, room_q;
  logic write, abort, lost_tail, fail_full, fail_broken;
  logic [1:0] kind;
  logic [W-1:0] data;
  logic [ADDR_W:0] depth;
  logic ready;

  always_ff @(posedge clk) begin
    valid_q <= s_valid && !rst;
    kind_q  <= s_kind;
    data_q  <= s_data;
    up_q    <= up && !rst;
    room_q  <= depth < LIMIT;
    xoff    <= depth >= XOFF_AT && !rst;
  end

  always_comb begin
    lost_tail = open_q && (!up_q || (valid_q && (kind_q == WORD_HEAD
        || (kind_q == WORD_EMPTY && !data_q[EMPTY_OPEN]))));
    fail_full = valid_q && !room_q && ((open_q && kind_q == WORD_DATA)
        || (!open_q && kind_q == WORD_HEAD));
    abort = lost_tail || (fail_full && open_q);
    fail_broken = lost_tail;
    write = abort || (valid_q && up_q && !fail_full && (open_q
        ? kind_q == WORD_DATA || kind_q == WORD_TAIL : kind_q == WORD_HEAD));
    kind = abort ? WORD_TAIL : kind_q;
    data = data_q;
    if (abort) begin
      data = '0;
      data[TAIL_ABORT] = 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (write) open_q <= kind != WORD_TAIL;
    broken <= fail_broken && !rst;
    full   <= fail_full && !fail_broken && !rst;
    if (rst) open_q <= 1'b0;
  end

  kumi_fifo #(
      .W(W + 2),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({kind, data}),
      .s_valid(write),
      .s_ready(ready),
      .m_data ({m_kind, m_data}),
      .m_valid,
      .m_ready,
      .depth
  );

  `include "kumi_assert.svh"
  `KUMI_ASSERT(a_room, !write || ready)

  if (DEPTH < 16 || W < 64) begin : gen_check
    $fatal(0, "DEPTH must be at least 16, W at least 64 (%m)");
  end
endmodule
