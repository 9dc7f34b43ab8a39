// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Stream frames as blocks of a serial link. Combinational, one beat to one beat.
//
// s_axis: DATA_W = 64 * LANES; tuser[0] with tlast marks a bad frame. m: see kumi_link_if.
module kumi_link_from_axis #(
    parameter int LANES = 1  // blocks of a beat, 1..4
) (
    kumi_axis_if.snk s_axis,
    kumi_link_if.src m
);
  if (s_axis.DATA_W != 64 * LANES) begin : gen_check_w
    $fatal(0, "s_axis.DATA_W must be 64 * LANES (%m)");
  end

  logic [$clog2(8*LANES+1)-1:0] bytes;
  logic [5:0] count, up;

  kumi_keep_to_count #(
      .KEEP_W(8 * LANES)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(bytes)
  );

  assign count = 6'(bytes);
  assign up    = count + 6'd7;

  for (genvar b = 0; b < LANES; b++) begin : gen_block
    for (genvar i = 0; i < 8; i++) begin : gen_byte
      assign m.data[b][56-8*i+:8] = s_axis.tdata[64*b+8*i+:8];
    end
  end

  assign m.valid = s_axis.tvalid;
  assign m.last = s_axis.tlast;
  assign m.count = s_axis.tlast ? up[5:3] : 3'(LANES);
  assign m.pad = s_axis.tlast ? -count[2:0] : '0;
  assign m.bad = s_axis.tlast && s_axis.tuser[0];
  assign s_axis.tready = m.ready;

  logic unused;
  assign unused = ^up[2:0];
endmodule
