// SPDX-License-Identifier: Apache-2.0
//
// kumi_deflate with frames without bytes: tuser[2] on a frame's only beat empties its tkeep, which
// the driver of the tests cannot do.
module deflate_empty #(
    parameter int N       = 8,
    parameter int WAYS    = 2,
    parameter int HASH_W  = 12,
    parameter int SEGMENT = 4096,
    parameter int MATCH   = 8
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic            [1:0] format,
           kumi_axis_if.snk       s_axis,
           kumi_axis_if.src       m_axis,
    output logic            [2:0] events
);
  kumi_axis_if #(
      .DATA_W(8 * N),
      .USER_W(2)
  ) in ();
  assign in.tdata = s_axis.tdata;
  assign in.tkeep = s_axis.tuser[2] ? '0 : s_axis.tkeep;
  assign in.tvalid = s_axis.tvalid;
  assign in.tlast = s_axis.tlast;
  assign in.tuser = s_axis.tuser[1:0];
  assign in.tid = '0;
  assign in.tdest = '0;
  assign s_axis.tready = in.tready;

  kumi_deflate #(
      .N(N),
      .WAYS(WAYS),
      .HASH_W(HASH_W),
      .SEGMENT(SEGMENT),
      .MATCH(MATCH)
  ) u_dut (
      .clk,
      .rst,
      .format,
      .s_axis(in.snk),
      .m_axis,
      .event_stored(events[0]),
      .event_fixed(events[1]),
      .event_dynamic(events[2])
  );
endmodule
