// SPDX-License-Identifier: Apache-2.0
//
// Reports of the transmit memory: held back until their data are in memory, and void if their
// session has ended by then.
//
// fresh_*: a new session with this number begins, its generation is fresh_gen.
// s_*: a write or close that is done, in order: s_seq is one past its last byte, s_bursts its
//   bursts (they may come before or after it); s_tells low: reported only if memory failed.
// b_valid: a burst is in memory; b_bad: it failed (not with EARLY).
// m_*: reports in order; m_push: of data; m_bad: memory error.
// Latency: 2 cycles from b_valid (EARLY: 1), 4 from s_*. A report a cycle; a void one takes two.
module kumi_tcp_tx_report
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,   // a power of two, 2 or more
    parameter int BURST_W  = 7,    // bits of a number of bursts
    parameter int OPEN     = 256,  // outstanding frames, a power of two
    parameter int EARLY    = 0,    // 1: memory is ordered without B (kumi_axi_ram)
    parameter int GEN_W    = 8     // generation bits, distinguish sessions with the same number
) (
    input  logic                        clk,
    input  logic                        rst,
    input  logic [$clog2(SESSIONS)-1:0] fresh_sid,
    input  logic [           GEN_W-1:0] fresh_gen,
    input  logic                        fresh_valid,
    input  logic [$clog2(SESSIONS)-1:0] s_sid,
    input  logic [           GEN_W-1:0] s_gen,
    input  logic [                31:0] s_seq,
    input  logic                        s_tells,
    input  logic                        s_fin,
    input  logic                        s_abort,
    input  logic [         BURST_W-1:0] s_bursts,
    input  logic                        s_valid,
    output logic                        s_ready,
    input  logic                        b_valid,
    input  logic                        b_bad,
    output logic [           SID_W-1:0] m_sid,
    output logic [                31:0] m_seq,
    output logic                        m_fin,
    output logic                        m_abort,
    output logic                        m_push,
    output logic                        m_bad,
    output logic                        m_valid,
    input  logic                        m_ready,
    output logic                        idle
);
  typedef struct packed {
    logic [$clog2(SESSIONS)-1:0] sid;
    logic [GEN_W-1:0]            gen;
    logic [31:0]                 seq;
    logic                        tells;
    logic                        fin;
    logic                        aborts;
  } tx_report_t;

  // ---- until the data are in memory -----------------------------------------------------------
  tx_report_t done, out, out_q;
  logic out_bad, out_valid, out_take, none;

  assign done = '{
          sid: s_sid,
          gen: s_gen,
          seq: s_seq,
          tells: s_tells,
          fin: s_fin,
          aborts: s_abort
      };

  kumi_write_fence #(
      .W($bits(tx_report_t)),
      .BURST_W(BURST_W),
      .DEPTH(OPEN),
      .FAST(EARLY)
  ) u_fence (
      .clk,
      .rst,
      .s_data (done),
      .s_bursts,
      .s_valid,
      .s_ready,
      .b_valid,
      .b_bad,
      .m_data (out),
      .m_bad  (out_bad),
      .m_valid(out_valid),
      .m_ready(out_take),
      .empty  (none)
  );

  // ---- generation check -----------------------------------------------------------------------
  // u_gens mirrors kumi_tcp_tx_space_ctrl: both count the sessions of a number. It is read with a
  // report; a session that begins then, or while the report waits, voids the report.
  logic [GEN_W-1:0] gens_q;
  logic out_valid_q, out_bad_q, out_dead_q, same_q, same, new_q;

  assign out_take = !out_valid_q || m_ready || (!new_q && !m_valid);
  assign same = new_q ? gens_q == out_q.gen : same_q;
  assign m_valid = out_valid_q && same && !out_dead_q && (out_q.tells || out_bad_q);
  assign m_sid = SID_W'(out_q.sid);
  assign m_seq = out_q.seq;
  assign m_fin = out_q.fin;
  assign m_abort = out_q.aborts;
  assign m_push = !out_q.fin && !out_q.aborts;
  assign m_bad = out_bad_q;

  kumi_ram_sdp #(
      .W(GEN_W),
      .DEPTH(SESSIONS)
  ) u_gens (
      .clk,
      .wr_en  (fresh_valid),
      .wr_addr(fresh_sid),
      .wr_data(fresh_gen),
      .rd_en  (out_take),
      .rd_addr(out.sid),
      .rd_data(gens_q)
  );

  always_ff @(posedge clk) begin
    new_q  <= out_take;
    same_q <= same;
    if (fresh_valid && fresh_sid == out_q.sid) out_dead_q <= 1'b1;
    if (out_take) begin
      out_valid_q <= out_valid;
      out_q <= out;
      out_bad_q <= out_bad;
      out_dead_q <= fresh_valid && fresh_sid == out.sid;
    end
    if (rst) out_valid_q <= 1'b0;
  end

  assign idle = none && !out_valid_q;
endmodule
