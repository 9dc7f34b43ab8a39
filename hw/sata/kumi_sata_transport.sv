// SPDX-License-Identifier: Apache-2.0
//
// Transport layer of the Serial ATA host: FISes as frames of 32-bit words in both directions, with
// retransmission of non-data FISes. Joins kumi_sata_fis_tx and kumi_sata_fis_rx.
//
// s_axis, m_axis: FISes of the command layer. link_tx, link_rx, link_done, link_code:
//   kumi_sata_link. done, code: status of each FIS of s_axis, in order.
module kumi_sata_transport
  import kumi_sata_pkg::*;
#(
    parameter int RETRIES = 3  // retransmissions of a non-data FIS
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic done,
    output tx_status_e code,
    output logic ev_retry,
    output logic ev_drop,
    kumi_axis_if.src link_tx,
    kumi_axis_if.snk link_rx,
    input logic link_done,
    input tx_status_e link_code
);
  kumi_sata_fis_tx #(
      .RETRIES(RETRIES)
  ) u_tx (
      .clk,
      .rst,
      .s_axis,
      .m_axis(link_tx),
      .link_done,
      .link_code,
      .done,
      .code,
      .ev_retry
  );
  kumi_sata_fis_rx u_rx (
      .clk,
      .rst,
      .s_axis(link_rx),
      .m_axis,
      .ev_drop
  );
endmodule
