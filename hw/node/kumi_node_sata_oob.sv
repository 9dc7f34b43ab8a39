// SPDX-License-Identifier: Apache-2.0
//
// OOB timing of the modelled PHY beside a kumi_sata_port, and whether the port is idle.
//
// tx_cominit, tx_comwake, oob_done: of kumi_sata_port, in sata_clk. asked, answered: a request is
//   accepted, a response is given, pulses in clk; waits: a request is pending. status: of the port.
// busy: requests are outstanding, or a present device is not ready yet.
module kumi_node_sata_oob
  import kumi_sata_cmd_pkg::*;
#(
    parameter int COMRESET_CYCLES = 384,  // 6 bursts of 106.7 ns, 6 gaps of 320 ns
    parameter int COMWAKE_CYCLES  = 192   // 6 bursts and gaps of 106.7 ns
) (
    input logic clk,
    input logic rst,
    input logic sata_clk,
    input logic sata_rst,
    input logic tx_cominit,
    input logic tx_comwake,
    output logic oob_done,
    input logic asked,
    input logic answered,
    input logic waits,
    input sata_status_t status,
    output logic busy
);
  localparam int OOB_W = $clog2(COMRESET_CYCLES + COMWAKE_CYCLES + 1);

  logic [OOB_W-1:0] oob_q;
  logic [6:0] open_q;

  assign oob_done = oob_q == OOB_W'(tx_cominit ? COMRESET_CYCLES : COMWAKE_CYCLES);
  always_ff @(posedge sata_clk) begin
    oob_q <= oob_q + 1'b1;
    if (sata_rst || oob_done || !(tx_cominit || tx_comwake)) oob_q <= '0;
  end

  always_ff @(posedge clk) begin
    open_q <= open_q + 7'(asked) - 7'(answered);
    busy   <= open_q != '0 || waits || (status.present && !status.ready && !status.unsupported);
    if (rst) begin
      open_q <= '0;
      busy   <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^status;
endmodule
