// SPDX-License-Identifier: Apache-2.0
//
// One scan over all devices: total space, and the device that is due next.
//
// start: begins a scan; settings and masks are constant until done, a pulse PORTS + 5 cycles later.
//   rd_*: device memory, data one cycle after rd_en. Results hold until the next start.
// by_capacity: selects the device with the most free slots, otherwise the least key; ties go to the
//   lower number. Candidates have space, are not in `exclude`, and
//     free_only = 0: have a short enough queue (dynamic, not by_capacity);
//     free_only = 1: have uncommitted space (`slack`, or more than `stripes` slots).
module kumi_placer_select
  import kumi_placer_pkg::*;
#(
    parameter int PORTS = 8  // devices, 1..128
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic dynamic,
    input logic single,  // stripes of one chunk: the hash counts as zero
    input logic [7:0] depth,  // maximum queue depth
    input logic [31:0] stripes,  // stripes that must still fit
    input place_key_t max_base,
    input logic by_capacity,
    input logic free_only,
    input logic slack,
    input logic [PORTS-1:0] exclude,
    output logic rd_en,
    output logic [6:0] rd_at,
    input placer_device_t rd_device,
    output logic done,
    output logic found,
    output logic [6:0] best,
    output logic best_full,  // its queue is full
    output logic best_required,  // it must take part in all `stripes`
    output logic [7:0] with_space,  // devices with space
    output logic [7:0] available_count,  // of these, with queue space
    output logic [7:0] required_count,  // of these, that must take part
    output logic [39:0] space  // sum of min(space, stripes)
);
  typedef struct packed {
    logic               last;
    logic [6:0]         at;
    logic               eligible;
    logic               full;
    logic               required;
    logic [SPACE_W-1:0] space;
  } select_stage_t;

  // Stage 0: addresses.
  logic run_q, read_q, read_last_q;
  logic [6:0] at_q, read_at_q;
  assign rd_en = run_q;
  assign rd_at = at_q;
  always_ff @(posedge clk) begin
    read_q      <= run_q && !start && !rst;
    read_at_q   <= at_q;
    read_last_q <= at_q == 7'(PORTS - 1);
    if (start) begin
      run_q <= 1'b1;
      at_q  <= '0;
    end else if (run_q) begin
      at_q <= at_q + 1'b1;
      if (at_q == 7'(PORTS - 1)) run_q <= 1'b0;
    end
    if (rst) run_q <= 1'b0;
  end

  // Stage 1: eligibility, and the parts of the key.
  placer_device_t d;
  logic has_room, has_enough, full, promised;
  logic part_valid_q, part_room_q, part_can_q, part_usable_q;
  logic [31:0] part_low_q;
  select_stage_t part_q;
  place_key_t base_q;
  logic [KEY_W:0] catch_up_q;
  logic [COST_W+3:0] low_q, high_q;
  cost_t cost_q;
  logic [3:0] hash;

  logic [127:0] mask;

  assign mask       = 128'(exclude);
  assign d          = rd_device;
  assign hash       = single ? 4'd0 : d.hash;
  assign has_room   = d.usable && d.space != 0;
  assign has_enough = 32'(d.space) >= stripes;
  assign full       = dynamic && d.queue >= depth;
  assign promised   = !slack && 32'(d.space) <= stripes;

  always_ff @(posedge clk) begin
    part_valid_q <= read_q && !start && !rst;
    part_room_q <= has_room;
    part_can_q <= has_room && !full;
    part_usable_q <= d.usable;
    part_low_q <= has_enough ? stripes : 32'(d.space);
    part_q.last <= read_last_q;
    part_q.at <= read_at_q;
    part_q.eligible <= has_room && !mask[read_at_q] && (free_only ? !promised : by_capacity
        || !full);
    part_q.full <= full;
    part_q.required <= has_room && has_enough;
    part_q.space <= d.space;
    base_q <= d.base;
    cost_q <= d.cost;
    catch_up_q <= {1'b0, max_base} - {{KEY_W + 1 - COST_W - 6{1'b0}}, d.cost, 6'd0};
    low_q <= (hash[0] ? (COST_W + 4)'(d.cost) : '0) + (hash[1] ? {3'd0, d.cost, 1'b0} : '0);
    high_q <= (hash[2] ? {2'd0, d.cost, 2'b0} : '0) + (hash[3] ? {1'd0, d.cost, 3'b0} : '0);
  end

  // Stage 2: sums of the key; counts.
  select_stage_t sum_q;
  logic sum_valid_q;
  place_key_t from_q;
  logic [COST_W+4:0] more_q;

  always_ff @(posedge clk) begin
    sum_valid_q <= part_valid_q && !start && !rst;
    sum_q <= part_q;
    from_q <= dynamic && !catch_up_q[KEY_W] && catch_up_q[KEY_W-1:0] > base_q
        ? catch_up_q[KEY_W-1:0]
        : base_q;
    more_q <= {1'b0, cost_q, 4'd0} + {1'b0, low_q} + {1'b0, high_q};
    if (part_valid_q) begin
      with_space <= with_space + 8'(part_room_q);
      available_count <= available_count + 8'(part_can_q);
      required_count <= required_count + 8'(part_q.required);
      if (part_usable_q) space <= space + 40'(part_low_q);
    end
    if (start) begin
      with_space      <= '0;
      available_count <= '0;
      required_count  <= '0;
      space           <= '0;
    end
  end

  // Stage 3: the key. Stage 4: the minimum.
  select_stage_t key_q;
  logic key_valid_q, done_q;
  place_key_t key, least_q;

  always_ff @(posedge clk) begin
    key_valid_q <= sum_valid_q && !start && !rst;
    key_q       <= sum_q;
    key         <= by_capacity ? KEY_W'(~sum_q.space) : from_q + KEY_W'(more_q);
    done_q      <= key_valid_q && key_q.last && !start && !rst;
    if (key_valid_q && key_q.eligible && (!found || key < least_q)) begin
      found         <= 1'b1;
      least_q       <= key;
      best          <= key_q.at;
      best_full     <= key_q.full;
      best_required <= key_q.required;
    end
    if (start || rst) found <= 1'b0;
  end
  assign done = done_q;

  logic unused;
  assign unused = ^{d.measured, d.mean_cost, d.seed, d.phase, key_q.space, key_q.last};
endmodule
