// SPDX-License-Identifier: Apache-2.0
//
// Slow start threshold after a loss, at least two segments. Combinational. Half of the data in
// flight (RFC 5681, equation 4); with CUBIC built in and use_cubic, 0.7 of it (RFC 9438, 4.6;
// 717/1024).
module kumi_tcp_cc_ssthresh
  import kumi_tcp_core_pkg::*;
#(
    parameter bit CUBIC = 1'b0
) (
    input logic use_cubic,
    input logic [WND_W-1:0] flight,
    input logic [15:0] mss,
    output logic [WND_W-1:0] threshold
);
  logic [WND_W-1:0] part;
  if (CUBIC) begin : gen_cubic
    logic [WND_W+9:0] product;
    assign product = (WND_W + 10)'(flight) * (WND_W + 10)'(717);
    assign part = use_cubic ? product[WND_W+9:10] : flight >> 1;
    logic unused;
    assign unused = ^product;
  end else begin : gen_half
    assign part = flight >> 1;
    logic unused;
    assign unused = use_cubic;
  end
  assign threshold = part < WND_W'({mss, 1'b0}) ? WND_W'({mss, 1'b0}) : part;
endmodule
