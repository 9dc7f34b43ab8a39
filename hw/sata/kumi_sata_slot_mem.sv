// SPDX-License-Identifier: Apache-2.0
//
// What the command layer keeps of up to 32 requests: the request itself, the bytes that are still
// to move, how often it was tried, and when it was given to the device.
//
// slot: which one rd_cmd, rd_left and rd_tries belong to (combinational). wr_cmd: store new_cmd
//   there. wr_left, wr_tries: store new_left, new_tries. stamp: store the present time.
// issued: the slots that are in the device; a slot is stamped no later than it is set there. late:
//   a slot of them, late_slot, has been there for limit ticks; each is looked at every 32 cycles.
//   now: the time, in ticks.
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
    input logic [25:0] new_left,
    output logic [25:0] rd_left,
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
  (* ram_style = "distributed" *) logic [25:0] left_mem[32];
  (* ram_style = "distributed" *) logic [4:0] retries_mem[32];
  (* ram_style = "distributed" *) logic [15:0] time_mem[32];
  logic [4:0] look_q, seen_q;
  logic [15:0] time_q;
  logic in_q;

  assign rd_cmd = cmd_mem[slot];
  assign rd_left = left_mem[slot];
  assign rd_retries = retries_mem[slot];

  always_ff @(posedge clk) begin
    if (wr_cmd) cmd_mem[slot] <= new_cmd;
    if (wr_left) left_mem[slot] <= new_left;
    if (wr_retries) retries_mem[slot] <= new_retries;
    if (stamp) time_mem[slot] <= now;

    look_q       <= look_q + 1'b1;
    time_q       <= time_mem[look_q];
    in_q         <= issued[look_q];
    seen_q       <= look_q;

    timeout      <= in_q && issued[seen_q] && now - time_q >= limit && !rst;
    timeout_slot <= seen_q;
    if (rst) begin
      look_q <= '0;
      in_q   <= 1'b0;
    end
  end
endmodule
