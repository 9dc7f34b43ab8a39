// SPDX-License-Identifier: Apache-2.0
//
// Throws away the rest of a frame whose beginning has been lost behind this point.
//
// s, m: see kumi_link_if; combinational. cut: while high nothing passes, and if part of a frame has
// passed before, the rest of it is thrown away, then and later.
module kumi_link_frame_drop (
    input logic clk,
    input logic rst,
    input logic cut,
    kumi_link_if.snk s,
    kumi_link_if.src m
);
  logic open_q, skip_q, skip;

  assign skip    = skip_q || (cut && open_q);
  assign m.data  = s.data;
  assign m.count = s.count;
  assign m.last  = s.last;
  assign m.pad   = s.pad;
  assign m.bad   = s.bad;
  assign m.valid = s.valid && !skip && !cut;
  assign s.ready = skip || (m.ready && !cut);

  always_ff @(posedge clk) begin
    if (s.valid && s.ready) open_q <= !s.last;
    skip_q <= skip && !(s.valid && s.last);
    if (rst) begin
      open_q <= 1'b0;
      skip_q <= 1'b0;
    end
  end
endmodule
