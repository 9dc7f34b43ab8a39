// SPDX-License-Identifier: Apache-2.0
//
// Registers of one serial link (regs/lanes.rdl): settings, state, one counter per event.
//
// s_axil: register access. cfg, retrain: to kumi_link_lanes; cfg changes only on a write. status,
//   ev: from it, same clock.
module kumi_lanes_ctl
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1,  // that were built, 1..4
    parameter bit CC_MANUAL = 1'b0  // 1: the layer above starts clock compensation
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    output lanes_cfg_t cfg,
    output logic retrain,
    input lanes_status_t status,
    input lanes_events_t ev
);
  localparam int EVENTS = $bits(lanes_events_t);

  kumi_lanes_regs_pkg::kumi_lanes_regs__in_t  hwif_in;
  kumi_lanes_regs_pkg::kumi_lanes_regs__out_t hwif_out;

  kumi_lanes_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[6:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  assign cfg.lanes = hwif_out.ctrl.lanes.value;
  assign cfg.all_lanes = hwif_out.ctrl.all_lanes.value;
  assign cfg.cc_manual = CC_MANUAL;
  assign retrain = hwif_out.command.retrain.value;

  assign hwif_in.status.up.next = status.up;
  assign hwif_in.status.state.next = status.state;
  assign hwif_in.status.count.next = status.count;
  assign hwif_in.status.used.next = status.used;
  assign hwif_in.status.locked.next = status.locked;
  assign hwif_in.status.built.next = 3'(LANES);
  assign hwif_in.status.rx_up.next = status.rx_up;
endmodule
