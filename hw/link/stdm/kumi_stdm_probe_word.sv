// SPDX-License-Identifier: Apache-2.0
//
// Source and sink of a circuit's words, for measurements (kumi_stdm_probe).
//
// m_axis: while on, a word is always offered: {id, number, cycle in which the switch takes it}. The
//   switch's input FIFO (HOLD words) is full then, so word k + HOLD is taken in the very cycle in
//   which word k crosses the first switch; the sink measures from there.
// s_axis: always ready. Counters: words received; the shortest and longest time from the first
//   crossing to s_axis, of words whose successor by HOLD arrived too; words that do not follow the
//   one before (or whose id changed). clear resets them.
module kumi_stdm_probe_word #(
    parameter int HOLD = 17
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [15:0] id,
    input  logic                   on,
    input  logic                   clear,
    input  logic            [31:0] now,
           kumi_axis_if.src        m_axis,
           kumi_axis_if.snk        s_axis,
    output logic            [31:0] sent,
    output logic            [31:0] words,
    output logic            [15:0] least,
    output logic            [15:0] most,
    output logic            [15:0] errors,
    output logic            [15:0] from
);
  logic [15:0] number_q, next_q;
  logic seen_q;
  logic [31:0] took;
  logic [31:0] came[64];

  assign m_axis.tvalid = on;
  assign m_axis.tdata  = {id, number_q, now};
  assign m_axis.tkeep  = '1;
  assign m_axis.tlast  = 1'b1;
  assign m_axis.tuser  = '0;
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;
  assign s_axis.tready = 1'b1;
  assign took = came[6'(s_axis.tdata[37:32]-6'(HOLD))] - s_axis.tdata[31:0];

  always_ff @(posedge clk) begin
    if (m_axis.tvalid && m_axis.tready) begin
      number_q <= number_q + 1'b1;
      sent     <= sent + 1'b1;
    end
    if (s_axis.tvalid) begin
      words                     <= words + 1'b1;
      came[s_axis.tdata[37:32]] <= now;
      next_q                    <= s_axis.tdata[47:32] + 1'b1;
      from                      <= s_axis.tdata[63:48];
      seen_q                    <= 1'b1;
      if (seen_q && (s_axis.tdata[47:32] != next_q || s_axis.tdata[63:48] != from)) begin
        errors <= errors + 1'b1;
      end
      if (words >= 32'(HOLD)) begin
        if (took[15:0] < least) least <= took[15:0];
        if (took[15:0] > most) most <= took[15:0];
      end
    end
    if (clear) begin
      words  <= '0;
      least  <= '1;
      most   <= '0;
      errors <= '0;
    end
    if (rst) begin
      number_q <= '0;
      sent     <= '0;
      words    <= '0;
      least    <= '1;
      most     <= '0;
      errors   <= '0;
      seen_q   <= 1'b0;
      from     <= '0;
    end
  end

  logic unused;
  assign unused = ^{took, s_axis.tkeep, s_axis.tlast};
endmodule
