// SPDX-License-Identifier: Apache-2.0
//
// Prefetches write data from the user, one Data FIS (8 KiB) at a time.
//
// start: a pulse; tag, offset and bytes (not zero) of the range to write. stop: no further records;
//   one already offered may still be taken. m_fetch: records, each answered by a frame.
// consumed: a frame has been used or discarded. open: frames requested and not consumed. busy: more
//   records follow. At most AHEAD frames are open.
// Latency: 1 cycle to the first record.
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
    input logic [24:0] offset,
    input logic [25:0] bytes,
    input logic consumed,
    output logic [1:0] open,
    output logic busy,
    kumi_rec_if.src m_fetch
);
  localparam logic [25:0] MOST = 26'd8192;

  if (AHEAD < 1 || AHEAD > 3) begin : gen_check
    $fatal(0, "AHEAD must be 1..3 (%m)");
  end

  blk_fetch_t rec_q;
  logic valid_q;
  logic [25:0] left_q;
  logic [24:0] offset_q;
  logic [15:0] tag_q;
  logic [1:0] open_q;
  logic make;
  logic [13:0] size;

  assign open = open_q;
  assign busy = left_q != '0 || valid_q;
  assign size = left_q > MOST ? MOST[13:0] : left_q[13:0];
  assign make = left_q != '0 && !valid_q && open_q < 2'(AHEAD) && !stop;

  assign m_fetch.valid = valid_q;
  assign m_fetch.data = rec_q;

  always_ff @(posedge clk) begin
    open_q <= open_q + 2'(make) - 2'(consumed);
    if (m_fetch.ready) valid_q <= 1'b0;
    if (make) begin
      valid_q  <= 1'b1;
      rec_q    <= '{tag: tag_q, offset: offset_q, bytes: size};
      left_q   <= left_q - {12'd0, size};
      offset_q <= offset_q + {11'd0, size};
    end
    if (stop) left_q <= '0;
    if (start) begin
      left_q   <= bytes;
      offset_q <= offset;
      tag_q    <= tag;
    end
    if (rst) begin
      valid_q <= 1'b0;
      left_q  <= '0;
      open_q  <= '0;
    end
  end
endmodule
