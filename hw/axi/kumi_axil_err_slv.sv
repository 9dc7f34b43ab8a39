// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite error slave (ARM IHI 0022): answers every access with SLVERR. The register block of a
// kernel without registers.
//
// s_axil: one operation at a time; a write is accepted when address and data are both valid.
module kumi_axil_err_slv (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil
);
  logic b_q, r_q, take_w, take_r;
  assign take_w = s_axil.awvalid && s_axil.wvalid && !b_q;
  assign take_r = s_axil.arvalid && !r_q;

  always_ff @(posedge clk) begin
    b_q <= take_w || (b_q && !s_axil.bready);
    r_q <= take_r || (r_q && !s_axil.rready);
    if (rst) begin
      b_q <= 1'b0;
      r_q <= 1'b0;
    end
  end

  assign s_axil.awready = take_w;
  assign s_axil.wready  = take_w;
  assign s_axil.arready = take_r;
  assign s_axil.bvalid  = b_q;
  assign s_axil.rvalid  = r_q;
  assign s_axil.bresp   = 2'b10;
  assign s_axil.rresp   = 2'b10;
  assign s_axil.rdata   = '0;
endmodule
