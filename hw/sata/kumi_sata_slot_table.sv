// SPDX-License-Identifier: Apache-2.0
//
// Slot table of kumi_sata_cmd_seq: which of 32 slots are used, issued, done or waiting, and the
// state of each request.
//
// op: operation on op_slot, see sata_slot_op_e. bits: slots that the device reports as done; issued
//   ones among them are marked. resize: new requests use slots 0..last. The lowest slots (done_,
//   waiting_, free_, inflight_: issued and not done) are valid two cycles after a change.
// slot: index of rd_cmd, rd_left and rd_retries (combinational), written by wr_left and wr_retries
//   and by SLOT_ALLOC with new_cmd. SLOT_ISSUE records the time.
// timeout: timeout_slot has been issued for `limit` ticks without completing.
module kumi_sata_slot_table
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input sata_slot_op_e op,
    input logic [4:0] op_slot,
    input logic [31:0] bits,
    input logic resize,
    input logic [4:0] last,
    output logic [31:0] issued,
    output logic none_used,
    output logic done_any,
    output logic [4:0] done_slot,
    output logic waiting_any,
    output logic [4:0] waiting_slot,
    output logic free_any,
    output logic [4:0] free_slot,
    output logic inflight_any,
    output logic [4:0] inflight_slot,
    input logic [4:0] slot,
    input blk_cmd_t new_cmd,
    output blk_cmd_t rd_cmd,
    input logic wr_left,
    input logic [25:0] new_left,
    output logic [25:0] rd_left,
    input logic wr_retries,
    input logic [4:0] new_retries,
    output logic [4:0] rd_retries,
    input logic [15:0] now,
    input logic [15:0] limit,
    output logic timeout,
    output logic [4:0] timeout_slot
);
  logic [31:0] used_q, issued_q, waiting_q, done_q, mask_q;
  logic take;

  assign issued = issued_q;
  assign none_used = used_q == '0;
  assign take = op == SLOT_ALLOC;

  always_ff @(posedge clk) begin
    done_q <= done_q | (bits & issued_q);
    case (op)
      SLOT_ALLOC: used_q[op_slot] <= 1'b1;
      SLOT_ISSUE: begin
        issued_q[op_slot]  <= 1'b1;
        waiting_q[op_slot] <= 1'b0;
      end
      SLOT_COMPLETE: begin
        issued_q[op_slot] <= 1'b0;
        done_q[op_slot] <= 1'b0;
        waiting_q[op_slot] <= 1'b0;
      end
      SLOT_REQUEUE: begin
        issued_q[op_slot]  <= 1'b0;
        waiting_q[op_slot] <= 1'b1;
      end
      SLOT_FREE: begin
        used_q[op_slot] <= 1'b0;
        issued_q[op_slot] <= 1'b0;
        waiting_q[op_slot] <= 1'b0;
      end
      SLOT_REQUEUE_ALL: begin
        waiting_q <= waiting_q | (issued_q & ~done_q);
        issued_q  <= issued_q & done_q;
      end
      SLOT_DONE_ALL: done_q <= issued_q;
      default: ;
    endcase
    if (resize) mask_q <= 32'hffff_ffff >> (5'd31 - last);
    if (rst) begin
      used_q <= '0;
      issued_q <= '0;
      waiting_q <= '0;
      done_q <= '0;
      mask_q <= '1;
    end
  end

  kumi_sata_priority_encoder u_done (
      .clk,
      .rst,
      .bits (done_q),
      .any  (done_any),
      .index(done_slot)
  );
  kumi_sata_priority_encoder u_todo (
      .clk,
      .rst,
      .bits (waiting_q),
      .any  (waiting_any),
      .index(waiting_slot)
  );
  kumi_sata_priority_encoder u_free (
      .clk,
      .rst,
      .bits (~used_q & mask_q),
      .any  (free_any),
      .index(free_slot)
  );
  kumi_sata_priority_encoder u_mark (
      .clk,
      .rst,
      .bits (issued_q & ~done_q),
      .any  (inflight_any),
      .index(inflight_slot)
  );

  kumi_sata_slot_mem u_slots (
      .clk,
      .rst,
      .slot,
      .wr_cmd(take),
      .new_cmd,
      .rd_cmd,
      .wr_left,
      .new_left,
      .rd_left,
      .wr_retries(take || wr_retries),
      .new_retries(take ? '0 : new_retries),
      .rd_retries,
      .stamp(op == SLOT_ISSUE),
      .now,
      .issued(issued_q & ~done_q),
      .limit,
      .timeout,
      .timeout_slot
  );
endmodule
