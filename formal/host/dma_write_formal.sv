// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_dma_write: units of any length at any address, any timing of bus and source.
//
// Every burst lies in one page of the burst size; bursts of a unit follow one another without a
// hole; WLAST is where the burst ends; a burst begins only when all its beats are there, so W never
// waits for the stream; bursts = answers + answers waited for; one completion a descriptor, in
// order, and never before the answer to its last burst.
`include "kumi_assert.svh"
module dma_write_formal
  import kumi_dma_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic run,
    input logic offer,
    input logic last,
    input logic empty,
    input logic [4:0] addr,
    input logic aw_ready,
    input logic w_ready,
    input logic b_valid,
    input logic [1:0] b_resp,
    input logic done_ready
);
  localparam int BURST_BYTES = 32;
  localparam int BEATS = 8;

  logic s_ready, unit_ready, end_ready, aw_valid, w_valid, w_last, done_valid, waiting;
  logic [31:0] aw_addr;
  logic [7:0] aw_len, w_strb;
  logic [63:0] w_data;
  done_t end_done, done;

  // The source: a unit's address goes with its first beat, its end record with its last.
  // The address is pushed before the first beat is offered, as kumi_dma_fill does.
  logic unit_there_q, first_q, s_valid, unit_valid, end_valid, beat, end_empty;
  logic [15:0] ends_q;
  assign end_empty = empty && first_q && offer;
  assign s_valid = offer && !end_empty && unit_there_q;
  assign unit_valid = offer && !end_empty && first_q && !unit_there_q && unit_ready;
  assign beat = s_valid && s_ready && (!last || end_ready);
  assign end_valid = (beat && last) || (end_empty && end_ready && !unit_there_q);

  always_comb begin
    end_done = '0;
    end_done.count = ends_q;
  end

  always_ff @(posedge clk) begin
    if (unit_valid) unit_there_q <= 1'b1;
    if (beat) begin
      first_q <= last;
      if (last) unit_there_q <= 1'b0;
    end
    if (end_valid) ends_q <= ends_q + 1'b1;
    if (rst) begin
      unit_there_q <= 1'b0;
      first_q <= 1'b1;
      ends_q <= '0;
    end
  end

  logic [5:0] owed_w_q;  // beats of bursts that were asked for
  kumi_dma_write #(
      .DATA_W(64),
      .ADDR_W(32),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(BEATS),
      .OPEN(4),
      .UNITS(4),
      .ENDS(4),
      .BURSTS(4)
  ) u_dut (
      .clk,
      .rst,
      .run,
      .s_valid(s_valid && (!last || end_ready)),
      .s_ready,
      .s_data('0),
      .s_keep('1),
      .s_last(last),
      .unit_valid,
      .unit_ready,
      .unit_addr(29'(addr)),
      .end_valid,
      .end_ready,
      .end_empty,
      .end_done,
      .aw_valid,
      .aw_ready,
      .aw_addr,
      .aw_len,
      .w_valid,
      .w_ready(w_ready && owed_w_q != '0),
      .w_data,
      .w_strb,
      .w_last,
      .b_valid,
      .b_resp,
      .done_valid,
      .done_ready,
      .done,
      .waiting
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // ---- the bus: data of a burst after its request, an answer after its data -------------------
  logic fire, w_fire;
  logic [3:0] open_q, whole_q;  // bursts without an answer; of these: all data sent
  assign fire   = aw_valid && aw_ready;
  assign w_fire = w_valid && w_ready && owed_w_q != '0;
  always_ff @(posedge clk) begin
    owed_w_q <= owed_w_q + (fire ? 6'(aw_len) + 6'd1 : 6'd0) - 6'(w_fire);
    open_q   <= open_q + 4'(fire) - 4'(b_valid);
    whole_q  <= whole_q + 4'(w_fire && w_last) - 4'(b_valid);
    if (rst) begin
      owed_w_q <= '0;
      open_q   <= '0;
      whole_q  <= '0;
    end
  end
  // Answers come two cycles after the request at the earliest (the multiplexer's registers).
  logic [3:0] whole1_q;
  always_ff @(posedge clk) whole1_q <= rst ? '0 : b_valid ? whole_q - 1'b1 : whole_q;
  always_comb assume (!b_valid || (whole_q != '0 && whole1_q != '0));
  always_comb assume (open_q < 4'd12);

  `KUMI_ASSERT(a_page, !aw_valid || (aw_addr[31:5] == 27'((aw_addr + 32'(aw_len) * 8) >> 5)))
  `KUMI_ASSERT(a_length, !aw_valid || aw_len < 8'(BURST_BYTES / 8))
  // All beats of what was asked for are inside: in the memory or its two output registers.
  `KUMI_ASSERT(a_stored, owed_w_q <= 6'(u_dut.depth_beats) + 6'd2)
  `KUMI_ASSERT(a_open, 7'(open_q) == u_dut.open_q)
  `KUMI_ASSERT(a_waits, open_q == '0 || waiting)

  // WLAST after as many beats as the request said: lengths of the bursts asked for, in order.
  logic [7:0] left_q;
  logic [15:0][7:0] queue_q;
  logic [3:0] in_q, out_q;
  always_ff @(posedge clk) begin
    if (fire) begin
      queue_q[in_q] <= aw_len;
      in_q <= in_q + 1'b1;
    end
    if (w_fire) begin
      left_q <= w_last ? '0 : left_q + 1'b1;
      if (w_last) out_q <= out_q + 1'b1;
    end
    if (rst) begin
      in_q   <= '0;
      out_q  <= '0;
      left_q <= '0;
    end
  end
  `KUMI_ASSERT(a_last, !w_fire || w_last == (left_q == queue_q[out_q]))

  // Bursts of a unit follow one another.
  logic [31:0] next_q;
  logic go_on_q;
  always_ff @(posedge clk) begin
    if (fire) begin
      next_q  <= aw_addr + (32'(aw_len) + 32'd1) * 8;
      go_on_q <= !u_dut.burst_ends;
    end
    if (rst) go_on_q <= 1'b0;
  end
  `KUMI_ASSERT(a_follows, !(fire && go_on_q) || aw_addr == next_q)

  // ---- completions ---------------------------------------------------------------------------
  logic [15:0] done_q, ended_b_q, with_data_q;
  always_ff @(posedge clk) begin
    if (done_valid && done_ready) begin
      done_q <= done_q + 1'b1;
      if (!u_dut.empty) with_data_q <= with_data_q + 1'b1;
    end
    if (b_valid && u_dut.open_ends) ended_b_q <= ended_b_q + 1'b1;
    if (rst) begin
      done_q <= '0;
      ended_b_q <= '0;
      with_data_q <= '0;
    end
  end
  `KUMI_ASSERT(a_order, !done_valid || done.count == done_q)
  `KUMI_ASSERT(a_once, done_q <= ends_q)
  `KUMI_ASSERT(a_after_answer, !done_valid || u_dut.empty || with_data_q < ended_b_q)
  `KUMI_ASSERT(a_result_room, !(b_valid && u_dut.open_ends) || u_dut.result_room)

  `KUMI_COVER(c_two, done_q == 16'd2)
  `KUMI_COVER(c_long, fire && go_on_q && u_dut.burst_ends)
  `KUMI_COVER(c_empty, done_valid && done_ready && u_dut.empty && done_q != '0)

  logic unused;
  assign unused = ^{w_data, w_strb};
endmodule
