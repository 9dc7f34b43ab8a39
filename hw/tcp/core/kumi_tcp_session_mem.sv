// SPDX-License-Identifier: Apache-2.0
//
// Memory of the sessions: TCB and CUBIC state, one entry per session, and their timers.
//
// wr_*: writes an entry; its next deadlines go to the timers two cycles later. rd_*: reads one,
//   with a latency of one cycle; the entry holds until the next rd_en. A read in the cycle of a
//   write to the same entry returns the old content.
// timer_*: a session with an expired deadline (kumi_tcp_timer), valid/ready. The timers start once
//   all entries have been written.
// CUBIC = 0: no CUBIC state, rd_cubic is 0.
module kumi_tcp_session_mem
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
#(
    parameter int SESSIONS = 64,  // a power of two
    parameter bit CUBIC = 1'b0,  // 1: with CUBIC state
    localparam int W = $clog2(SESSIONS)
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    input logic [31:0] now_long,  // ticks of 256 us
    input logic wr_en,
    input logic [SID_W-1:0] wr_sid,
    input tcb_t wr_tcb,
    input tcp_cubic_t wr_cubic,
    input logic rd_en,
    input logic [SID_W-1:0] rd_sid,
    output tcb_t rd_tcb,
    output tcp_cubic_t rd_cubic,
    output logic timer_valid,
    output logic [W-1:0] timer_sid,
    input logic timer_take
);
  kumi_ram_sdp #(
      .W($bits(tcb_t)),
      .DEPTH(SESSIONS),
      .STYLE(2)
  ) u_tcb (
      .clk,
      .wr_en,
      .wr_addr(wr_sid[W-1:0]),
      .wr_data(wr_tcb),
      .rd_en,
      .rd_addr(rd_sid[W-1:0]),
      .rd_data(rd_tcb)
  );

  if (CUBIC) begin : gen_cubic
    kumi_ram_sdp #(
        .W($bits(tcp_cubic_t)),
        .DEPTH(SESSIONS),
        .STYLE(2)
    ) u_cubic (
        .clk,
        .wr_en,
        .wr_addr(wr_sid[W-1:0]),
        .wr_data(wr_cubic),
        .rd_en,
        .rd_addr(rd_sid[W-1:0]),
        .rd_data(rd_cubic)
    );
  end else begin : gen_newreno
    assign rd_cubic = '0;
    logic unused;
    assign unused = ^wr_cubic;
  end

  // ---- next deadlines of the session written --------------------------------------------------
  logic rtx_on, next_on, next_en_q, next_on_q, next_long_q, started_q;
  logic [31:0] next_at, next_at_q, next_long_at_q;
  logic [W-1:0] next_sid_q;

  always_comb begin
    rtx_on = wr_tcb.rtx_on || wr_tcb.idle_on;
    next_at = wr_tcb.ack_on && (!rtx_on || is_before(wr_tcb.ack_at, wr_tcb.rtx_at)) ?
        wr_tcb.ack_at : wr_tcb.rtx_at;
    next_on = rtx_on || wr_tcb.ack_on;
  end

  always_ff @(posedge clk) begin
    next_en_q <= wr_en && !rst;
    next_sid_q <= wr_sid[W-1:0];
    next_on_q <= next_on;
    next_at_q <= next_at;
    next_long_q <= wr_tcb.misc_on;
    next_long_at_q <= wr_tcb.misc_at;
    // The timers start once all entries are initialised.
    if (next_en_q && next_sid_q == W'(SESSIONS - 1)) started_q <= 1'b1;
    if (rst) started_q <= 1'b0;
  end

  kumi_tcp_timer #(
      .SESSIONS(SESSIONS)
  ) u_timer (
      .clk,
      .rst       (rst || !started_q),
      .now_us,
      .now_long,
      .wr_en     (next_en_q),
      .wr_sid    (next_sid_q),
      .wr_on     (next_on_q),
      .wr_at     (next_at_q),
      .wr_long_on(next_long_q),
      .wr_long_at(next_long_at_q),
      .m_valid   (timer_valid),
      .m_sid     (timer_sid),
      .m_ready   (timer_take)
  );

  logic unused_sid;
  assign unused_sid = ^{wr_sid, rd_sid};
endmodule
