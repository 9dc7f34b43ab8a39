// SPDX-License-Identifier: Apache-2.0
//
// Memory with one read-modify-write per cycle: read an entry, compute in the next cycle, write
//   back.
//
// at: entry of the operation that starts in this cycle. In the next cycle `now` is its content,
//   with the results of all earlier operations forwarded; op: an operation is in progress, `next`:
//   its result.
// clearing: DEPTH cycles after reset in which all entries become 0; no operation may start.
// Latency 1 cycle, one operation a cycle, also on the same entry. `next` ends in a register, and
// `now` comes from registers with LUT RAM (up to 64 entries), so the computation has a full cycle.
module kumi_ram_rmw #(
    parameter int W     = 32,  // bits of an entry
    parameter int DEPTH = 16   // entries, a power of two, 2 or more
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic [$clog2(DEPTH)-1:0] at,
    output logic [            W-1:0] now,
    input  logic                     op,
    input  logic [            W-1:0] next,
    output logic                     clearing
);
  localparam int IDX_W = $clog2(DEPTH);

  if (DEPTH < 2 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, at least 2 (%m)");
  end

  // write_q: last_q goes to memory now. The read of an operation meets the two writes before it:
  // one still to be made (hit_q), one being made (passed_q).
  logic [IDX_W-1:0] at_q, last_at_q, clear_at_q;
  logic [W-1:0] ram_q, last_q, older_q;
  logic write_q, hit_q, passed_q;

  assign now = hit_q ? last_q : passed_q ? older_q : ram_q;

  always_ff @(posedge clk) begin
    at_q <= at;
    hit_q <= op && at == at_q;
    passed_q <= write_q && at == last_at_q;
    write_q <= op || clearing;
    last_at_q <= clearing ? clear_at_q : at_q;
    last_q <= clearing ? '0 : next;
    older_q <= last_q;
    if (clearing) begin
      clear_at_q <= clear_at_q + 1'b1;
      clearing   <= clear_at_q != '1;
    end
    if (rst) begin
      hit_q <= 1'b0;
      passed_q <= 1'b0;
      write_q <= 1'b0;
      clear_at_q <= '0;
      clearing <= 1'b1;
    end
  end

  kumi_ram_sdp #(
      .W(W),
      .DEPTH(DEPTH)
  ) u_ram (
      .clk,
      .wr_en  (write_q),
      .wr_addr(last_at_q),
      .wr_data(last_q),
      .rd_en  (1'b1),
      .rd_addr(at),
      .rd_data(ram_q)
  );
endmodule
