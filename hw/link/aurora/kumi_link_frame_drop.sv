// SPDX-License-Identifier: Apache-2.0
//
// Drops the rest of a frame whose start has been lost downstream. Combinational.
//
// s, m: see kumi_link_if. drop: while high nothing passes, and the rest of a partly passed frame is
//   discarded, then and later.
module kumi_link_frame_drop (
    input logic clk,
    input logic rst,
    input logic drop,
    kumi_link_if.snk s,
    kumi_link_if.src m
);
  logic open_q, dropping_q, dropping;

  assign dropping    = dropping_q || (drop && open_q);
  assign m.data  = s.data;
  assign m.count = s.count;
  assign m.last  = s.last;
  assign m.pad   = s.pad;
  assign m.bad   = s.bad;
  assign m.valid = s.valid && !dropping && !drop;
  assign s.ready = dropping || (m.ready && !drop);

  always_ff @(posedge clk) begin
    if (s.valid && s.ready) open_q <= !s.last;
    dropping_q <= dropping && !(s.valid && s.last);
    if (rst) begin
      open_q <= 1'b0;
      dropping_q <= 1'b0;
    end
  end
endmodule
