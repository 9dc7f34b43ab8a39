// SPDX-License-Identifier: Apache-2.0
//
// Memory of up to 32 requests: the command, the words left to transfer, its retries, and when it
// was issued.
//
// slot: index of rd_cmd (combinational), rd_left and rd_retries (one cycle later). wr_cmd: stores
//   new_cmd. wr_left, wr_retries: store new_left, new_retries. stamp: stores the current time.
// issued: slots in the device; a slot is stamped no later than it is set there. timeout:
//   timeout_slot of them has been issued for `limit` ticks; each is checked every 32 cycles. now:
//   the time in ticks.
module kumi_sata_slot_mem
  import kumi_blk_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [4:0] slot,
    input logic wr_cmd,
    input blk_cmd_t new_cmd,
    output blk_cmd_t rd_cmd,
    input logic wr_left,
    input logic [23:0] new_left,
    output logic [23:0] rd_left,
    input logic wr_retries,
    input logic [4:0] new_retries,
    output logic [4:0] rd_retries,
    input logic stamp,
    input logic [15:0] now,
    input logic [31:0] issued,
    input logic [15:0] limit,
    output logic timeout,
    output logic [4:0] timeout_slot
);
  (* ram_style = "distributed" *) logic [$bits(blk_cmd_t)-1:0] cmd_mem[32];
  (* ram_style = "distributed" *) logic [23:0] left_mem[32];
  (* ram_style = "distributed" *) logic [4:0] retries_mem[32];
  (* ram_style = "distributed" *) logic [15:0] time_mem[32];
  logic [4:0] look_q, seen_q, aged_q;
  logic [15:0] time_q, age_q;
  logic in_q, in1_q;

  assign rd_cmd = cmd_mem[slot];

  always_ff @(posedge clk) begin
    if (wr_cmd) cmd_mem[slot] <= new_cmd;
    if (wr_left) left_mem[slot] <= new_left;
    if (wr_retries) retries_mem[slot] <= new_retries;
    if (stamp) time_mem[slot] <= now;
    rd_left      <= left_mem[slot];
    rd_retries   <= retries_mem[slot];

    look_q       <= look_q + 1'b1;
    time_q       <= time_mem[look_q];
    in_q         <= issued[look_q];
    seen_q       <= look_q;

    age_q        <= now - time_q;
    in1_q        <= in_q && issued[seen_q];
    aged_q       <= seen_q;

    timeout      <= in1_q && age_q >= limit && !rst;
    timeout_slot <= aged_q;
    if (rst) begin
      look_q <= '0;
      in_q   <= 1'b0;
      in1_q  <= 1'b0;
    end
  end
endmodule
