// SPDX-License-Identifier: Apache-2.0
//
// Timers of all sessions: RAM with each session's next deadlines, and a scanner that visits one
//   session per cycle and reports expired ones.
//
// wr_*: the deadlines of a session, written with its state: one in microseconds (wr_at), one in
//   ticks of 256 us (wr_long_at). The TCB is authoritative: a report may
//   be late by one scan (SESSIONS cycles) or spurious while a new deadline is being written; the
//   receiver checks it.
// m_valid, m_sid, m_ready: a session with an expired deadline, held until accepted. The scan waits.
module kumi_tcp_timer
  import kumi_tcp_core_pkg::*;
#(
    parameter int SESSIONS = 64  // a power of two
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    input logic [31:0] now_long,
    input logic wr_en,
    input logic [$clog2(SESSIONS)-1:0] wr_sid,
    input logic wr_on,
    input logic [31:0] wr_at,
    input logic wr_long_on,
    input logic [31:0] wr_long_at,
    output logic m_valid,
    output logic [$clog2(SESSIONS)-1:0] m_sid,
    input logic m_ready
);
  localparam int W = $clog2(SESSIONS);

  logic [W-1:0] at_q, read_q, late_q;
  logic read_on, read_long_on, go, valid_q;
  logic [31:0] read_at, read_long_at;
  logic late_on_q, late_long_q, late_valid_q;

  kumi_ram_sdp #(
      .W(66),
      .DEPTH(SESSIONS),
      .STYLE(2)
  ) u_ram (
      .clk,
      .wr_en,
      .wr_addr(wr_sid),
      .wr_data({wr_on, wr_at, wr_long_on, wr_long_at}),
      .rd_en  (go),
      .rd_addr(at_q),
      .rd_data({read_on, read_at, read_long_on, read_long_at})
  );

  // Pipeline of three registers: address, entry, difference. It stalls while a report waits.
  assign m_valid = late_valid_q && (late_on_q || late_long_q);
  assign go      = !m_valid || m_ready;
  assign m_sid   = late_q;

  always_ff @(posedge clk) begin
    if (go) begin
      at_q         <= at_q + 1'b1;
      read_q       <= at_q;
      valid_q      <= 1'b1;
      late_q       <= read_q;
      late_on_q    <= read_on && !is_before(now_us, read_at);
      late_long_q  <= read_long_on && !is_before(now_long, read_long_at);
      late_valid_q <= valid_q;
    end
    if (rst) begin
      at_q         <= '0;
      valid_q      <= 1'b0;
      late_valid_q <= 1'b0;
    end
  end
endmodule
