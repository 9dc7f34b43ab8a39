// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_symbols with the queue of tokens behind it, as kumi_inflate joins them:
// the queue takes every token, however long the copy engine waits, so the pipeline that cannot wait
// never has to; one token comes out for each group that went in.
//
// Assumed of kumi_inflate_rows and kumi_inflate_ctrl: a group or token comes no more than two
// cycles after the queue was ready. The queue itself is proved in stream/fifo.
`include "kumi_assert.svh"
module inflate_queue_formal
  import kumi_inflate_pkg::*;
#(
    parameter int DATA = 1  // any groups, else only their number counts, which is enough to cover
) (
    input logic                  clk,
    input logic                  rst,
    input logic                  valid,
    input inflate_group_t        group,
    input logic           [63:0] bits,
    input logic                  take
);
  localparam int SYMS = 4;
  localparam int QUEUE = 64;
  localparam int FLIGHT = 4 * SYMS + 8;  // as in kumi_inflate

  logic made_valid, symbols_busy, room, queue_valid, ready_q;
  inflate_token_t made;
  logic [TOKEN_W-1:0] token;
  logic [6:0] depth;
  kumi_inflate_symbols #(
      .SYMS(SYMS),
      .LOOK(64)
  ) u_symbols (
      .clk,
      .rst,
      .wr_en(1'b0),
      .wr_addr('0),
      .wr_litlen('0),
      .wr_dist('0),
      .s_valid(valid),
      .s_group(DATA != 0 ? group : '0),
      .s_bits(DATA != 0 ? bits : '0),
      .m_valid(made_valid),
      .m_token(made),
      .busy(symbols_busy)
  );
  kumi_fifo #(
      .W(TOKEN_W),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_queue (
      .clk,
      .rst,
      .s_data (made),
      .s_valid(made_valid),
      .s_ready(room),
      .m_data (token),
      .m_valid(queue_valid),
      .m_ready(take),
      .depth
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  logic [1:0] late_q;
  always_ff @(posedge clk) begin
    ready_q <= 32'(depth) < QUEUE - FLIGHT && !rst;
    late_q  <= rst ? '0 : {late_q[0], ready_q};
  end
  always_comb assume (!valid || ready_q || late_q != '0);

  logic [6:0] flight, flight_q;
  always_comb begin
    flight = 7'(made_valid) + 7'(u_symbols.last_q.valid);
    for (int i = 0; i <= 4 * SYMS; i++) flight += 7'(u_symbols.stage_q[i].valid);
  end
  always_ff @(posedge clk) begin
    flight_q <= rst ? '0 : flight_q + 7'(valid) - 7'(made_valid);
  end
  `KUMI_ASSERT(i_flight, flight_q == flight)
  `KUMI_ASSERT(i_late, !(ready_q || late_q != '0) || depth <= 7'(QUEUE - FLIGHT + 2))
  `KUMI_ASSERT(
      i_ready,
      (!ready_q || depth <= 7'(QUEUE - FLIGHT)) && (!late_q[0] || depth <= 7'(QUEUE - FLIGHT + 1)))

  `KUMI_ASSERT(a_room, 32'(depth) + 32'(flight) <= QUEUE)
  `KUMI_ASSERT(a_taken, !made_valid || room)

  `KUMI_COVER(c_many, flight == 7'd3)
endmodule
