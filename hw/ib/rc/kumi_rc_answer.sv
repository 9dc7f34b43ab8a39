// SPDX-License-Identifier: Apache-2.0
//
// Actions whose payload is in memory: completions out, ACKs and READs to transmission, atomics to
// memory and their results kept (IBTA volume 1, clauses 9.4.5, 9.7.5.1, 9.7.6).
//
// s_act, s_bad: see kumi_rc_place. A receive whose payload memory refused completes with
//   RC_WC_LOC_PROT_ERR, and what it would acknowledge becomes a NAK (remote operational error); so
//   does the answer of an atomic whose word memory refused.
// m_completion: records out. m_axi: 64-bit accesses of atomics, one at a time.
// ack: ack_pending[q] says that queue pair q has one; the newest replaces an older one. It is read
//   with ack_take, and is valid a cycle later.
// read: READs and atomics of a queue pair in order, up to 16: ring_some[q] says that there is one;
//   read_pop removes it. rd_qp is the queue pair whose ack is valid a cycle later, and its read
//   two.
// clear: forgets what belongs to clear_qp.
module kumi_rc_answer
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter  int QPS  = 64,
    localparam int QP_W = $clog2(QPS)
) (
    input logic clk,
    input logic rst,
    input logic s_act_valid,
    output logic s_act_ready,
    input rc_action_t s_act,
    input logic s_bad,
    kumi_rec_if.src m_completion,
    kumi_axi_if.mst m_axi,

    input logic clear,
    input logic [QP_W-1:0] clear_qp,
    output logic idle,

    input logic [QP_W-1:0] rd_qp,
    output logic [QPS-1:0] ack_pending,
    output logic [QPS-1:0] ring_some,
    input logic ack_take,
    output rc_ack_t ack,
    output rc_read_t read,
    input logic read_pop,
    output logic [QPS-1:0][4:0] ring_rd,
    output logic ev_mem_error
);
  localparam int READ_W = $clog2(RC_READS);

  typedef enum logic [2:0] {
    S_IDLE,
    S_ACT,
    S_READ,    // an atomic's word
    S_MODIFY,
    S_CARRY,   // upper half of its sum
    S_WRITE,
    S_SEARCH,  // for a result
    S_PUSH
  } state_e;

  state_e s_q;
  rc_action_t act_q;
  logic bad_q, follows_q, failed_q;
  rc_answer_t ans, s_ans;
  rc_completion_t wc;
  logic [QP_W-1:0] qp;
  logic [QPS-1:0] pending_q, some_q;
  logic [QPS-1:0][4:0] wr_q, rd_q;
  logic [QPS-1:0][  READ_W-1:0] result_q;  // next place of a result
  logic [QPS-1:0][RC_READS-1:0] kept_q;  // places with a result
  // Those of qp and of rd_qp, a cycle later: choosing one of many takes a cycle of its own.
  logic [4:0] wr_here_q, rd_here_q;
  logic [READ_W-1:0] result_here_q;
  logic [RC_READS-1:0] kept_here_q;
  logic [READ_W:0] scan_q;
  logic found_q, scan_hit;
  logic [63:0] value_q, sum_q;
  logic equal_q, carry_q;

  assign ans = act_q.body;
  assign s_ans = s_act.body;
  assign wc = act_q.body[RC_COMPLETION_W-1:0];
  assign qp = ans.qp[QP_W-1:0];

  always_ff @(posedge clk) begin
    wr_here_q <= wr_q[qp];
    rd_here_q <= rd_q[rd_qp];
    result_here_q <= result_q[qp];
    kept_here_q <= kept_q[qp];
  end

  // ---- completions -----------------------------------------------------------------------------
  logic wc_valid, wc_ready;
  rc_completion_t wc_out;
  logic [4:0] wc_depth;
  always_comb begin
    wc_out = wc;
    if (bad_q && wc.status == RC_WC_SUCCESS) wc_out.status = RC_WC_LOC_PROT_ERR;
  end
  assign wc_valid = s_q == S_ACT && act_q.kind == RC_ACT_COMPLETION;

  kumi_fifo #(
      .W(RC_COMPLETION_W),
      .DEPTH(16)
  ) u_completions (
      .clk,
      .rst,
      .s_data (wc_out),
      .s_valid(wc_valid),
      .s_ready(wc_ready),
      .m_data (m_completion.data),
      .m_valid(m_completion.valid),
      .m_ready(m_completion.ready),
      .depth  (wc_depth)
  );

  // ---- ACKs ------------------------------------------------------------------------------------
  logic ack_we, ack_refused, push;
  rc_ack_t ack_new;
  assign ack_we = (s_q == S_ACT && act_q.kind == RC_ACT_ACK) || (push && failed_q);
  assign ack_refused = (bad_q || follows_q || failed_q) && ans.syndrome == RC_SYNDROME_ACK;
  assign ack_new = '{
          syndrome: ack_refused ? RC_NAK_REMOTE_OPERATION : ans.syndrome,
          psn: ans.psn,
          msn: ans.msn
      };

  kumi_ram_sdp #(
      .W($bits(rc_ack_t)),
      .DEPTH(QPS),
      .STYLE(2),
      .RDW(1)
  ) u_acks (
      .clk,
      .wr_en  (ack_we),
      .wr_addr(qp),
      .wr_data(ack_new),
      .rd_en  (ack_take),
      .rd_addr(rd_qp),
      .rd_data(ack)
  );

  // ---- READs and atomics -----------------------------------------------------------------------
  rc_read_t read_new;
  assign push = s_q == S_PUSH;
  assign read_new = '{
          none: failed_q || (act_q.kind == RC_ACT_REPLAY && !found_q),
          atomic: act_q.kind != RC_ACT_READ,
          psn: ans.psn,
          msn: ans.msn,
          va: act_q.kind == RC_ACT_READ ? ans.va : value_q,
          length: ans.length
      };

  kumi_ram_sdp #(
      .W($bits(rc_read_t)),
      .DEPTH(QPS * RC_READS)
  ) u_reads (
      .clk,
      .wr_en  (push),
      .wr_addr({qp, wr_here_q[READ_W-1:0]}),
      .wr_data(read_new),
      .rd_en  (1'b1),
      .rd_addr({rd_qp, rd_here_q[READ_W-1:0]}),
      .rd_data(read)
  );

  // ---- results of atomics ----------------------------------------------------------------------
  logic [23:0] kept_psn, kept_psn_q;
  logic [63:0] kept_value, kept_value_q;

  kumi_ram_sdp #(
      .W(24 + 64),
      .DEPTH(QPS * RC_READS)
  ) u_results (
      .clk,
      .wr_en  (push && act_q.kind == RC_ACT_ATOMIC && !failed_q),
      .wr_addr({qp, result_here_q}),
      .wr_data({ans.psn, value_q}),
      .rd_en  (1'b1),
      .rd_addr({qp, scan_q[READ_W-1:0]}),
      .rd_data({kept_psn, kept_value})
  );
  // scan_q is two ahead of what is looked at: block RAM is late, and there are 24 bits to compare.
  always_ff @(posedge clk) {kept_psn_q, kept_value_q} <= {kept_psn, kept_value};
  assign scan_hit = scan_q > (READ_W + 1)'(1) && kept_psn_q == ans.psn &&
      kept_here_q[READ_W'(scan_q-2'd2)];

  // ---- memory ----------------------------------------------------------------------------------
  logic mem_done, mem_bad;
  logic [63:0] mem_data;

  kumi_axi_single #(
      .PLACE_W(64)
  ) u_memory (
      .clk,
      .rst,
      .req(s_q inside {S_READ, S_WRITE}),
      .we(s_q == S_WRITE),
      .addr(ans.va),
      .wdata(sum_q),
      .done(mem_done),
      .bad(mem_bad),
      .rdata(mem_data),
      .m_axi
  );

  always_ff @(posedge clk) begin
    ev_mem_error <= (s_act_valid && s_act_ready && s_bad) || (mem_done && mem_bad);
    unique case (s_q)
      S_IDLE: begin
        act_q <= s_act;
        bad_q <= s_bad;
        scan_q <= '0;
        found_q <= 1'b0;
        failed_q <= 1'b0;
        if (s_act_valid) begin
          // An ACK right behind the completion of what was refused.
          follows_q <= bad_q && act_q.kind == RC_ACT_COMPLETION && wc.qp == s_ans.qp;
          s_q <= S_ACT;
        end
      end
      S_ACT:
      unique case (act_q.kind)
        RC_ACT_COMPLETION: if (wc_ready) s_q <= S_IDLE;
        RC_ACT_READ: s_q <= S_PUSH;
        RC_ACT_ATOMIC: s_q <= S_READ;
        RC_ACT_REPLAY: s_q <= S_SEARCH;
        default: s_q <= S_IDLE;
      endcase
      S_READ:
      if (mem_done) begin
        value_q <= mem_data;
        failed_q <= mem_bad;
        s_q <= mem_bad ? S_PUSH : S_MODIFY;
      end
      S_MODIFY: begin
        {carry_q, sum_q[31:0]} <= value_q[31:0] + ans.swap_add[31:0];
        equal_q <= value_q == ans.compare;
        s_q <= S_CARRY;
      end
      S_CARRY: begin
        sum_q[63:32] <= value_q[63:32] + ans.swap_add[63:32] + 32'(carry_q);
        if (ans.swap) sum_q <= equal_q ? ans.swap_add : value_q;
        s_q <= S_WRITE;
      end
      S_WRITE:
      if (mem_done) begin
        failed_q <= mem_bad;
        s_q <= S_PUSH;
      end
      S_SEARCH: begin
        scan_q <= scan_q + 1'b1;
        if (scan_hit) begin
          found_q <= 1'b1;
          value_q <= kept_value_q;
        end
        if (scan_q[READ_W] && scan_q[0]) s_q <= S_PUSH;
      end
      default: begin
        wr_q[qp] <= wr_here_q + 1'b1;
        if (act_q.kind == RC_ACT_ATOMIC && !failed_q) begin
          result_q[qp] <= result_here_q + 1'b1;
          kept_q[qp][result_here_q] <= 1'b1;
        end
        s_q <= S_IDLE;
      end
    endcase

    if (read_pop) rd_q[rd_qp] <= rd_here_q + 1'b1;
    if (ack_take) pending_q[rd_qp] <= 1'b0;
    if (ack_we) pending_q[qp] <= 1'b1;
    for (int i = 0; i < QPS; ++i) some_q[i] <= wr_q[i] != rd_q[i];
    if (clear) begin
      wr_q[clear_qp] <= '0;
      rd_q[clear_qp] <= '0;
      result_q[clear_qp] <= '0;
      kept_q[clear_qp] <= '0;
      pending_q[clear_qp] <= 1'b0;
    end
    if (rst) begin
      s_q <= S_IDLE;
      wr_q <= '0;
      rd_q <= '0;
      result_q <= '0;
      kept_q <= '0;
      pending_q <= '0;
      some_q <= '0;
    end
  end

  assign s_act_ready = s_q == S_IDLE;
  assign idle = s_q == S_IDLE && !s_act_valid;
  assign ack_pending = pending_q;
  assign ring_some = some_q;
  assign ring_rd = rd_q;

  logic unused;
  assign unused = ^{wc_depth, ans.qp, s_ans};
endmodule
