// SPDX-License-Identifier: Apache-2.0
//
// Registers of a board's circuits (regs/circuit.rdl): packet counters.
//
// s_axil: register access. ev_sent, ev_drop: pulses of kumi_circuit_tx, ev_rx: of kumi_circuit_rx,
//   ev_full: of the buffer behind it; one bit or record per circuit.
module kumi_circuit_ctl
  import kumi_circuit_pkg::*;
#(
    parameter int CIRCUITS = 4  // 1..8
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    input logic [CIRCUITS-1:0] ev_sent,
    input logic [CIRCUITS-1:0] ev_drop,
    input circuit_rx_events_t [CIRCUITS-1:0] ev_rx,
    input logic [CIRCUITS-1:0] ev_full
);
  localparam int ROW = 8;  // counters of one kind
  localparam int KINDS = 7;

  if (CIRCUITS < 1 || CIRCUITS > ROW) begin : gen_check
    $fatal(0, "CIRCUITS must be 1..8 (%m)");
  end

  kumi_circuit_regs_pkg::kumi_circuit_regs__in_t  hwif_in;
  kumi_circuit_regs_pkg::kumi_circuit_regs__out_t hwif_out;

  kumi_circuit_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [KINDS-1:0][ROW-1:0] ev;
  always_comb begin
    ev = '0;
    for (int c = 0; c < CIRCUITS; ++c) begin
      ev[0][c] = ev_sent[c];
      ev[1][c] = ev_drop[c];
      ev[2][c] = ev_rx[c].good;
      ev[3][c] = ev_rx[c].bad;
      ev[4][c] = ev_rx[c].truncated;
      ev[5][c] = ev_rx[c].hunt;
      ev[6][c] = ev_full[c];
    end
  end

  kumi_event_counters #(
      .N(KINDS * ROW)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[7:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  assign hwif_in.info.circuits.next = 4'(CIRCUITS);
endmodule
