// SPDX-License-Identifier: Apache-2.0
//
// Stop/go flow control of SW2 with a slack buffer, per virtual channel: a receiver whose buffer
// holds HIGH beats says stop in every flit that it sends; what is under way then still fits.
//
// depth[v]: beats in the receive buffer of v. stop: goes into every flit sent, 1 cycle later.
// flit_*: every flit received, or its loss: go[v] changes 1 cycle later. A flit that was lost or
//   is wrong means stop for all, because it may have said so.
// Between the cycle in which depth reaches HIGH and the last arrival lie no more flits than SLACK =
//   2 + (24 + 2 CABLE) / 4 (the units' latencies in kumi_sw2_link); HIGH is BEATS less these.
module kumi_sw2_flow
  import kumi_sw2_pkg::VCS;
#(
    parameter int BEATS = 128,  // of a receive buffer
    parameter int HIGH = 104,  // beats from which on the receiver says stop
    localparam int D_W = $clog2(BEATS) + 1
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic [VCS-1:0][D_W-1:0] depth,
    output logic [VCS-1:0]          stop,
    input  logic                    flit_valid,
    input  logic                    flit_good,
    input  logic [VCS-1:0]          flit_stop,
    output logic [VCS-1:0]          go
);
  if (HIGH < 1 || HIGH > BEATS) begin : gen_check_high
    $fatal(0, "HIGH must be 1..BEATS (%m)");
  end

  always_ff @(posedge clk) begin
    for (int v = 0; v < VCS; v++) stop[v] <= 32'(depth[v]) >= HIGH;
    if (flit_valid) go <= flit_good ? ~flit_stop : '0;
    if (rst) begin
      stop <= '0;
      go   <= '0;
    end
  end
endmodule
