// SPDX-License-Identifier: Apache-2.0
//
// Receive flow steering: an exact-match table from TCP and UDP flows over IPv4 and IPv6 to receive
// queues, as `ethtool -N` has it on other cards. Virtio 1.2 has no command for it; registers set it
// (docs/decisions/0006-nic.md, 0x1000).
//
// flow, flow_ok: of a frame, every cycle; flow_ok: it has one. hit, queue: 6 cycles later: its
//   entry is in the table, and its queue. A lookup a cycle, whatever the registers do.
// write, read: the registers, see kumi_nic_steer_ctl.
// The table has two halves of ENTRIES / 4 buckets with 4 slots each (kumi_nic_steer_table): twice
//   as many slots as entries, so that nearly always all ENTRIES find a place. Entries never move.
// After a reset the table is empty. A reset of the device by its driver leaves it as it is.
module kumi_nic_steer
  import kumi_nic_pkg::*;
#(
    parameter  int ENTRIES = 128,            // flows, a power of two, 16..1024
    parameter  int QUEUES  = 2,              // receive queues, 2..256; the last one is not used
    localparam int LOOK_W  = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input nic_flow_t flow,
    input logic flow_go,
    input logic flow_ok,
    output logic hit,
    output logic [LOOK_W-1:0] queue,
    input nic_steer_write_t write,
    output nic_steer_read_t read
);
  localparam int SLOT_W = $clog2(2 * ENTRIES);

  if (ENTRIES < 16 || ENTRIES > 1024 || (ENTRIES & (ENTRIES - 1)) != 0) begin : gen_check_entries
    $fatal(0, "ENTRIES must be a power of two, 16..1024 (%m)");
  end

  logic put, open, shut, shut_all, slot_open;
  logic [SLOT_W-1:0] slot;
  nic_flow_t put_flow;
  logic [LOOK_W-1:0] put_queue;

  kumi_nic_steer_table #(
      .ENTRIES(ENTRIES),
      .LOOK_W (LOOK_W)
  ) u_table (
      .clk,
      .rst,
      .flow,
      .flow_go,
      .flow_ok,
      .hit,
      .queue,
      .slot,
      .slot_open,
      .put,
      .put_flow,
      .put_queue,
      .open,
      .shut,
      .shut_all
  );

  kumi_nic_steer_ctl #(
      .ENTRIES(ENTRIES),
      .QUEUES (QUEUES)
  ) u_ctl (
      .clk,
      .rst,
      .write,
      .read,
      .slot,
      .slot_open,
      .put,
      .put_flow,
      .put_queue,
      .open,
      .shut,
      .shut_all
  );
endmodule
