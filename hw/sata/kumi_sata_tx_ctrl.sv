// SPDX-License-Identifier: Apache-2.0
//
// Transmission control: the current job of kumi_sata_cmd_tx, and its result.
//
// command: send the Register FIS of the request in `slot`, with operation new_op and new_fua; they
//   remain in was_slot, op and fua. resend: the same again. built: its words have been taken. data:
//   a Data FIS, of ranges if trim. drop: discard a frame of the user. Jobs may be requested while
//   free_tx is high; a command or resend while may_send is high: also nothing has been received for
//   eight cycles, so that no data phase is about to start.
// sent: a FIS has ended with `code`, until seen; kind: its kind.
// srst: software reset: 1 after the command BLK_RESET. Once sent, hold counts RESET_CYCLES; with
//   held, SRST is cleared by another FIS, and srst is 2. srst_clear: back to 0.
module kumi_sata_tx_ctrl
  import kumi_sata_pkg::*;
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
#(
    parameter int RESET_CYCLES = 1_024
) (
    input logic clk,
    input logic rst,
    input logic command,
    input blk_op_e new_op,
    input logic new_fua,
    input logic [4:0] slot,
    input logic resend,
    input logic data,
    input logic trim,
    input logic drop,
    input logic hold,
    output logic held,
    input logic srst_clear,
    input logic seen,
    input logic rx_idle,
    input logic receiving,
    output logic job,
    output sata_job_e job_kind,
    output logic built,
    input logic tx_idle,
    input logic drop_done,
    input logic tx_done,
    input tx_status_e tx_code,
    output logic tx_busy,
    output logic free_tx,
    output logic may_send,
    output logic sent,
    output sata_job_e kind,
    output tx_status_e code,
    output logic [4:0] was_slot,
    output blk_op_e op,
    output logic fua,
    output logic [1:0] srst
);
  localparam int RESET_W = $clog2(RESET_CYCLES + 1);

  if (RESET_CYCLES < 1) begin : gen_check
    $fatal(0, "RESET_CYCLES must be positive (%m)");
  end

  logic job_q, tx_busy_q, sent_q;
  sata_job_e kind_q;
  blk_op_e op_q;
  logic fua_q;
  tx_status_e code_q;
  logic [4:0] slot_q;
  logic [1:0] srst_q;
  logic [RESET_W-1:0] wait_q;
  logic [3:0] still_q;  // cycles without reception, saturating

  assign job = job_q;
  assign job_kind = kind_q;
  assign built = !job_q && tx_idle;
  assign op = op_q;
  assign fua = fua_q;
  assign kind = kind_q;
  assign code = code_q;
  assign was_slot = slot_q;
  assign srst = srst_q;
  assign sent = sent_q;
  assign tx_busy = tx_busy_q;
  assign free_tx = !tx_busy_q && tx_idle;
  assign may_send = free_tx && still_q[3];
  assign held = hold && wait_q == RESET_W'(RESET_CYCLES - 1);

  always_ff @(posedge clk) begin
    if (receiving || !rx_idle) still_q <= '0;
    else if (!still_q[3]) still_q <= still_q + 1'b1;

    if (tx_done) code_q <= tx_code;
    if (seen) sent_q <= 1'b0;
    else if (tx_done) sent_q <= 1'b1;
    if (tx_done || drop_done) tx_busy_q <= 1'b0;

    wait_q <= hold ? wait_q + 1'b1 : '0;

    job_q  <= command || resend || data || drop || held;
    if (command || resend || data || drop || held) tx_busy_q <= 1'b1;
    if (command || resend) kind_q <= JOB_REG;
    if (data) kind_q <= trim ? JOB_TRIM : JOB_DATA;
    if (drop) kind_q <= JOB_DROP;

    if (command) begin
      op_q   <= new_op;
      fua_q  <= new_fua;
      slot_q <= slot;
      srst_q <= {1'b0, new_op == BLK_RESET};
    end
    if (held) srst_q <= 2'd2;
    if (srst_clear) srst_q <= 2'd0;

    if (rst) begin
      still_q   <= '0;
      job_q     <= 1'b0;
      tx_busy_q <= 1'b0;
      sent_q    <= 1'b0;
      srst_q    <= 2'd0;
    end
  end
endmodule
