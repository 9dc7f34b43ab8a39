// SPDX-License-Identifier: Apache-2.0
//
// Front of the compressor: beats become groups of N bytes, with what the matcher needs between
// messages.
//
// s_axis: see kumi_deflate. m_*: one group a cycle with m_valid and m_ready; m_data is zero beyond
//   m_count bytes, m_last ends a piece, m_final with it the message.
// After a piece FLUSH groups without bytes follow, which push the last records out of the matcher;
//   after a message, and after reset, the matcher's tables are cleared: one bucket a cycle, at
//   clear_at, while clear_on is high. s_axis waits meanwhile.
// hold: the end of the last message is still on its way to the lanes; the next one must wait.
// start: the first beat of a message moves. Latency 0.
// Bad input: tkeep that is not a run of ones from bit 0 counts as its number of leading ones.
module kumi_deflate_feed #(
    parameter int N      = 8,   // bytes of a group
    parameter int FLUSH  = 16,  // groups that empty the matcher
    parameter int HASH_W = 12   // log2 of the buckets
) (
    input  logic                              clk,
    input  logic                              rst,
           kumi_axis_if.snk                   s_axis,
    output logic            [        8*N-1:0] m_data,
    output logic            [$clog2(N+1)-1:0] m_count,
    output logic                              m_last,
    output logic                              m_final,
    output logic                              m_valid,
    input  logic                              m_ready,
    input  logic                              hold,
    output logic                              start,
    output logic                              clear_on,
    output logic            [     HASH_W-1:0] clear_at
);
  localparam int FLUSH_W = $clog2(FLUSH + 1);

  typedef enum logic [1:0] {
    ST_RUN,
    ST_FLUSH,
    ST_CLEAR
  } state_e;
  state_e state_q;
  logic [FLUSH_W-1:0] flush_q;
  logic [HASH_W-1:0] clear_q;
  logic final_q, first_q;

  logic [N-1:0] keep;
  always_comb begin
    for (int i = 0; i < N; i++) keep[i] = &(s_axis.tkeep | ~N'((64'd2 << i) - 64'd1));
    for (int i = 0; i < N; i++) begin
      m_data[8*i+:8] = s_axis.tdata[8*i+:8] & {8{keep[i] && state_q == ST_RUN}};
    end
  end

  logic [$clog2(N+1)-1:0] count;
  kumi_keep_to_count #(
      .KEEP_W(N)
  ) u_count (
      .keep,
      .count
  );

  assign m_count = state_q == ST_RUN ? count : '0;
  assign m_last = state_q == ST_RUN && s_axis.tlast;
  assign m_final = m_last && !s_axis.tuser[1];
  assign m_valid = state_q == ST_FLUSH || (state_q == ST_RUN && s_axis.tvalid);
  assign s_axis.tready = state_q == ST_RUN && m_ready;
  assign start = first_q && s_axis.tvalid && s_axis.tready;
  assign clear_on = state_q == ST_CLEAR;
  assign clear_at = clear_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      ST_RUN: begin
        flush_q <= FLUSH_W'(FLUSH - 1);
        clear_q <= '0;
        if (s_axis.tvalid && m_ready) begin
          first_q <= 1'b0;
          final_q <= m_final;
          if (s_axis.tlast) state_q <= ST_FLUSH;
        end
      end
      ST_FLUSH: begin
        if (m_ready) begin
          flush_q <= flush_q - 1'b1;
          if (flush_q == '0) state_q <= final_q ? ST_CLEAR : ST_RUN;
        end
      end
      default: begin
        first_q <= 1'b1;
        if (clear_q != '1) clear_q <= clear_q + 1'b1;
        else if (!hold) state_q <= ST_RUN;
      end
    endcase
    if (rst) begin
      state_q <= ST_CLEAR;
      clear_q <= '0;
    end
  end

  logic unused;
  assign unused = ^s_axis.tuser;
endmodule
