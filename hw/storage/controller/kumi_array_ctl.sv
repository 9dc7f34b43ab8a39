// SPDX-License-Identifier: Apache-2.0
//
// Registers of the storage array (regs/storage.rdl).
//
// s_axil: the register bus. usable, readable, failed, failures, occupied, busy, ev: see
//   kumi_storage.
module kumi_array_ctl #(
    parameter int PORTS = 4,  // this and the following: see kumi_storage
    parameter int WIDTH = 8,
    parameter int CONTEXTS = 8,
    parameter int CHUNK_BYTES = 1 << 21,
    parameter int STRIPES = 1 << 24,
    parameter int SLOTS = 1 << 24
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    input logic [PORTS-1:0] usable,
    input logic [PORTS-1:0] readable,
    input logic [PORTS-1:0] failed,
    input logic [15:0] failures,
    input logic [31:0] occupied,
    input logic busy,
    input logic [5:0] ev
);
  kumi_storage_regs_pkg::kumi_storage_regs__in_t  hwif_in;
  kumi_storage_regs_pkg::kumi_storage_regs__out_t hwif_out;

  kumi_storage_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  kumi_event_counters #(
      .N(6)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[4:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  assign hwif_in.info.ports.next = 8'(PORTS);
  assign hwif_in.info.width.next = 8'(WIDTH);
  assign hwif_in.info.contexts.next = 8'(CONTEXTS);
  assign hwif_in.info.chunk.next = 5'($clog2(CHUNK_BYTES));
  assign hwif_in.limits.stripes.next = 6'($clog2(STRIPES));
  assign hwif_in.limits.slots.next = 6'($clog2(SLOTS));
  for (genvar i = 0; i < 4; i++) begin : gen_word
    assign hwif_in.readable[i].value.next = 32'(128'(readable) >> (32 * i));
    assign hwif_in.usable[i].value.next   = 32'(128'(usable) >> (32 * i));
    assign hwif_in.failed[i].value.next   = 32'(128'(failed) >> (32 * i));
  end
  assign hwif_in.status.failures.next = failures;
  assign hwif_in.status.busy.next = busy;
  assign hwif_in.occupied.value.next = occupied;

  logic unused;
  assign unused = ^{hwif_out.counters.addr, hwif_out.counters.wr_data, hwif_out.counters.wr_biten};
endmodule
