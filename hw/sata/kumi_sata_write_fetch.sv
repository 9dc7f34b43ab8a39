// SPDX-License-Identifier: Apache-2.0
//
// Prefetches write data from the user, one Data FIS (8 KiB) at a time.
//
// start: a pulse; tag, offset and words (not zero) of the range to write, in 32-bit words. stop: no
//   further records; one already offered may still be taken. m_fetch: records, each answered by a
//   frame.
// consumed: a frame has been used or discarded. open: frames requested and not consumed. busy: more
//   records follow. At most AHEAD frames are open.
// Latency: 2 cycles to the first record.
module kumi_sata_write_fetch
  import kumi_blk_pkg::*;
#(
    parameter int AHEAD = 2  // 1..3
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic stop,
    input logic [15:0] tag,
    input logic [22:0] offset,
    input logic [23:0] words,
    input logic consumed,
    output logic [1:0] open,
    output logic busy,
    kumi_rec_if.src m_fetch
);
  if (AHEAD < 1 || AHEAD > 3) begin : gen_check
    $fatal(0, "AHEAD must be 1..3 (%m)");
  end

  // The record offered begins at offset_q; `left` includes its words until it is taken.
  logic valid_q, any_q;
  logic [23:0] left_q;
  logic [22:0] offset_q;
  logic [15:0] tag_q;
  logic [ 1:0] open_q;
  logic make, full;

  assign open = open_q;
  assign busy = any_q || valid_q;
  assign full = left_q[23:11] != '0;  // 8 KiB or more
  assign make = any_q && !valid_q && open_q < 2'(AHEAD) && !stop;

  assign m_fetch.valid = valid_q;
  assign m_fetch.data = {tag_q, offset_q, 2'b00, full, full ? 11'd0 : left_q[10:0], 2'b00};

  always_ff @(posedge clk) begin
    open_q <= open_q + 2'(make) - 2'(consumed);
    any_q  <= left_q != '0 && !valid_q && !stop;
    if (make) valid_q <= 1'b1;
    if (valid_q && m_fetch.ready) begin
      valid_q <= 1'b0;
      any_q <= 1'b0;
      left_q[23:11] <= left_q[23:11] - 13'(full);
      if (!full) left_q[10:0] <= '0;
      offset_q[22:11] <= offset_q[22:11] + 12'(full);
    end
    if (stop && !valid_q) left_q <= '0;
    if (start) begin
      left_q   <= words;
      offset_q <= offset;
      tag_q    <= tag;
      any_q    <= 1'b1;
    end
    if (rst) begin
      valid_q <= 1'b0;
      any_q   <= 1'b0;
      left_q  <= '0;
      open_q  <= '0;
    end
  end
endmodule
