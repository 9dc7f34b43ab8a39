// SPDX-License-Identifier: Apache-2.0
//
// Trouble, who is to blame for it, and how often a request is given again.
//
// trouble: everything is to begin anew; from the pulse fault, or cfg.restart, or a request whose
//   time is over (late, late_slot) on. accuse: a fault for which blame_slot is to blame, if guilty;
//   source: its user is. overdue: a pulse for one whose time is over.
// Beginning anew: stop, for a cycle; then drain, as long as needed: drained when all has been quiet
//   for 32 cycles. From then on marking: every request that was in the device is judged; until
//   settled, which also forgets trouble and blame.
// spared: somebody else than mark_slot is to blame. verdict: the reason that mark_slot gets.
// again, new_tries: may the request with the reason `reason` and the repetitions rd_tries be given
//   again? Line errors, missing data and time over count cfg.retries repetitions (bits 1:0); where
//   nobody is to blame for a new beginning, all may see it seven times (bits 4:2).
module kumi_sata_error_recovery
  import kumi_sata_cmd_pkg::*;
(
    input logic clk,
    input logic rst,
    input sata_cfg_t cfg,
    input logic fault,
    input logic accuse,
    input logic guilty,
    input logic [4:0] blame_slot,
    input logic source,
    input logic late,
    input logic [4:0] late_slot,
    output logic overdue,
    input logic stop,
    input logic drain,
    input logic all_quiet,
    output logic drained,
    input logic settled,
    input logic [4:0] mark_slot,
    output logic trouble,
    output logic marking,
    output logic spared,
    output blk_status_e verdict,
    input blk_status_e reason,
    input logic [4:0] rd_tries,
    output logic again,
    output logic [4:0] new_tries
);
  logic trouble_q, blamed_q, source_q, marking_q, together;
  logic [4:0] blame_q, quiet_q;
  logic unused;
  assign unused = ^cfg;

  assign trouble = trouble_q;
  assign marking = marking_q;
  assign drained = drain && quiet_q == '1;
  assign overdue = late && !trouble_q && !marking_q && !stop && !drain;
  assign spared = blamed_q && blame_q != mark_slot;
  assign verdict = source_q && blame_q == mark_slot ? RSP_SOURCE : RSP_TIMEOUT;

  assign together = marking_q && !blamed_q;
  assign again = reason inside {RSP_ICRC, RSP_TIMEOUT, RSP_SHORT}
      && (together ? rd_tries[4:2] != '1 : rd_tries[1:0] < cfg.retries);
  always_comb begin
    new_tries = rd_tries;
    if (again && together) new_tries[4:2] = rd_tries[4:2] + 3'd1;
    else if (again) new_tries[1:0] = rd_tries[1:0] + 2'd1;
  end

  always_ff @(posedge clk) begin
    quiet_q <= drain && all_quiet ? quiet_q + 1'b1 : '0;
    if (drained) marking_q <= 1'b1;
    if (settled) begin
      trouble_q <= 1'b0;
      marking_q <= 1'b0;
      blamed_q  <= 1'b0;
      source_q  <= 1'b0;
    end
    if (accuse) begin
      blamed_q <= guilty;
      blame_q  <= blame_slot;
      source_q <= source;
    end
    if (overdue) begin
      blamed_q <= 1'b1;
      blame_q  <= late_slot;
    end
    if (fault || accuse || overdue || (cfg.restart && !trouble_q)) trouble_q <= 1'b1;
    if (rst) begin
      trouble_q <= 1'b0;
      blamed_q  <= 1'b0;
      source_q  <= 1'b0;
      marking_q <= 1'b0;
    end
  end
endmodule
