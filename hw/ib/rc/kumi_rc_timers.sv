// SPDX-License-Identifier: Apache-2.0
//
// Timers of the queue pairs: time-out of an acknowledgement (IBTA volume 1, clause 9.7.6.1.3) and
// the wait after an RNR NAK (clause 9.7.5.2.8), looked at one queue pair after the other.
//
// tick: a pulse every 1.024 us. una_*, max_*: both ends of what is not acknowledged, of one queue
//   pair each; equal: no time-out. progress: its time-out begins again.
// rnr: of rnr_qp a wait begins; waiting says so until exp_* is accepted.
// exp_*: the time is over, of an RNR wait with exp_rnr.
// The time is exact to 2 ticks and 5 cycles for each queue pair, never short.
module kumi_rc_timers #(
    parameter  int QPS  = 64,
    localparam int QP_W = $clog2(QPS)
) (
    input logic clk,
    input logic rst,
    input logic tick,

    input logic            store,
    input logic [QP_W-1:0] qp,
    input logic [    23:0] una,
    input logic            progress,
    input logic            rnr,
    input logic [     4:0] rnr_timer,
    input logic            attr_we,
    input logic [     4:0] timeout,
    input logic            max_we,
    input logic [QP_W-1:0] max_qp,
    input logic [    23:0] max,

    output logic [QPS-1:0] waiting,
    output logic exp_valid,
    input logic exp_ready,
    output logic [QP_W-1:0] exp_qp,
    output logic exp_rnr
);
  // Hundredths of a millisecond of the codes (table 45), 0 being the longest.
  function automatic logic [15:0] rnr_time(input logic [4:0] code);
    unique case (code)
      5'd0: return 16'hFFFF;
      5'd1, 5'd2, 5'd3, 5'd4: return 16'(code);
      default: return code[0] ? 16'd3 << ((code - 5'd3) >> 1) : 16'd2 << ((code - 5'd2) >> 1);
    endcase
  endfunction

  typedef enum logic [2:0] {
    S_NEXT,
    S_LOAD,
    S_ELAPSED,
    S_COMPARE,
    S_ACT
  } state_e;

  state_e s_q;
  logic [QP_W-1:0] at_q;
  logic [33:0] now_q, since, elapsed_q, limit_q;
  logic [QPS-1:0] moved_q, waiting_q;
  logic [23:0] una_at, max_at;
  logic [4:0] timeout_at, code_at;
  logic over_q, open_q, waits_q, moves_q, cancel_q, stamp;

  assign waiting = waiting_q;
  assign stamp   = s_q == S_ACT && (moves_q || !(open_q || waits_q) || (exp_valid && exp_ready));

  kumi_ram_sdp #(
      .W(34),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_since (
      .clk,
      .wr_en  (stamp),
      .wr_addr(at_q),
      .wr_data(now_q),
      .rd_en  (1'b1),
      .rd_addr(at_q),
      .rd_data(since)
  );
  kumi_ram_sdp #(
      .W(24),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_una (
      .clk,
      .wr_en  (store),
      .wr_addr(qp),
      .wr_data(una),
      .rd_en  (1'b1),
      .rd_addr(at_q),
      .rd_data(una_at)
  );
  kumi_ram_sdp #(
      .W(24),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_max (
      .clk,
      .wr_en  (max_we),
      .wr_addr(max_qp),
      .wr_data(max),
      .rd_en  (1'b1),
      .rd_addr(at_q),
      .rd_data(max_at)
  );
  kumi_ram_sdp #(
      .W(5),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_timeout (
      .clk,
      .wr_en  (attr_we),
      .wr_addr(qp),
      .wr_data(timeout),
      .rd_en  (1'b1),
      .rd_addr(at_q),
      .rd_data(timeout_at)
  );
  kumi_ram_sdp #(
      .W(5),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_code (
      .clk,
      .wr_en  (rnr),
      .wr_addr(qp),
      .wr_data(rnr_timer),
      .rd_en  (1'b1),
      .rd_addr(at_q),
      .rd_data(code_at)
  );

  always_ff @(posedge clk) begin
    now_q <= now_q + 34'(tick);

    // Stages of a look: contents of the memories, time since the stamp, comparison.
    elapsed_q <= now_q - since;
    // A hundredth of a millisecond is less than 10 ticks.
    limit_q <= waits_q ? 34'({rnr_time(
        code_at
    ), 3'b000}) + 34'({rnr_time(
        code_at
    ), 1'b0}) : 34'd4 << timeout_at;
    over_q <= elapsed_q > limit_q;
    open_q <= una_at != max_at && timeout_at != '0;  // Progress that the look has not seen.
    cancel_q <= s_q inside {S_COMPARE, S_ACT} && (cancel_q || (store && progress && qp == at_q));

    unique case (s_q)
      S_NEXT: begin
        at_q <= at_q + 1'b1;
        s_q  <= S_LOAD;
      end
      S_LOAD: begin
        waits_q <= waiting_q[at_q];
        s_q <= S_ELAPSED;
      end
      S_ELAPSED: s_q <= S_COMPARE;
      S_COMPARE: begin
        moves_q <= moved_q[at_q];
        moved_q[at_q] <= 1'b0;
        s_q <= S_ACT;
      end
      default:   if (!exp_valid || exp_ready) s_q <= S_NEXT;
    endcase

    if (exp_valid && exp_ready && exp_rnr) waiting_q[at_q] <= 1'b0;
    if (store && progress) moved_q[qp] <= 1'b1;
    if (attr_we) waiting_q[qp] <= 1'b0;
    if (rnr) waiting_q[qp] <= 1'b1;
    if (rst) begin
      s_q <= S_NEXT;
      at_q <= '0;
      now_q <= '0;
      moved_q <= '0;
      waiting_q <= '0;
    end
  end

  assign exp_qp = at_q;
  assign exp_rnr = waits_q;
  assign exp_valid = s_q == S_ACT && !moves_q && over_q && (waits_q || open_q) && !cancel_q;
endmodule
