// SPDX-License-Identifier: Apache-2.0
//
// Source address of an Ethernet controller, in the clock of the kernel and in that of the MAC's
// receiver.
//
// s_source: 48-bit addresses, first byte on the wire in [47:40]; the next one is taken when the
//   last has arrived in rx_clk (kumi_cdc_handshake).
// cfg_addr: address after reset, constant during reset.
// src changes in the cycle after the record, own some cycles later.
module kumi_eth_src_addr_cdc (
    input  logic                  clk,
    input  logic                  rst,
           kumi_rec_if.snk        s_source,
    input  logic           [47:0] cfg_addr,
    output logic           [47:0] src,
    input  logic                  rx_clk,
    input  logic                  rx_rst,
    output logic           [47:0] own
);
  logic changed;

  if (s_source.W != 48) begin : gen_check_w
    $fatal(0, "s_source carries 48 bits (%m)");
  end

  kumi_cdc_handshake #(
      .W(48)
  ) u_cdc (
      .rst_data(cfg_addr),
      .s_clk(clk),
      .s_rst(rst),
      .s_data(s_source.data[47:0]),
      .s_valid(s_source.valid),
      .s_ready(s_source.ready),
      .s_held(src),
      .m_clk(rx_clk),
      .m_rst(rx_rst),
      .m_data(own),
      .m_valid(changed)
  );

  logic unused;
  assign unused = changed;
endmodule
