// SPDX-License-Identifier: Apache-2.0
//
// Node: a network card. A guest at its host port uses the Ethernet port with the driver that it has
// (docs/blocks/nic.md).
//
// *_host: registers, DMA and interrupts of the host, as docs/decisions/0006-nic.md has them. mac:
// address of the card; a cluster sets it to the node's.
module kumi_node_nic_core #(
    parameter int DATA_W = 512,  // bits of the Ethernet port, 64..512; the host's memory has 512
    parameter int PAIRS  = 4,    // pairs of queues
    parameter int SIZE   = 256,  // largest ring
    parameter int MTU    = 9000,  // largest, offered to the driver
    parameter int CLK_MHZ = 250,  // of clk: microseconds of interrupt moderation
    parameter bit PACKED = 1  // offer packed rings
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil_host,
    kumi_axi_if.mst m_axi_host,  // DATA_W=512 ADDR_W=64 ID_W=4
    kumi_rec_if.src m_hdr_host_irq,  // W=16

    input  logic [47:0] mac,
    output logic        busy
);
  if (s_axis_eth0.DATA_W != DATA_W || m_axis_eth0.DATA_W != DATA_W) begin : gen_check_width
    $fatal(0, "the Ethernet port must have DATA_W bits (%m)");
  end

  kumi_nic #(
      .PAIRS (PAIRS),
      .SIZE  (SIZE),
      .MTU   (MTU),
      .CLK_MHZ(CLK_MHZ),
      .PACKED(PACKED)
  ) u_nic (
      .clk,
      .rst,
      .mac,
      .s_axil(s_axil_host),
      .m_axi (m_axi_host),
      .m_irq (m_hdr_host_irq),
      .s_eth (s_axis_eth0),
      .m_eth (m_axis_eth0),
      .busy
  );
endmodule
