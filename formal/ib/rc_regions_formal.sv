// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_rc_regions: whatever regions were set, in whatever order, an access is allowed
// only if the region that its key names is valid, has that key and the right, and holds all of its
// bytes.
`include "kumi_assert.svh"
module rc_regions_formal
  import kumi_rc_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic set_valid,
    input rc_region_t set_region,
    input logic [31:0] key,
    input logic [63:0] va,
    input logic [31:0] length,
    input logic write,
    input logic read,
    input logic atomic,
    input logic which
);
  localparam int REGIONS = 2;
  logic ok;

  kumi_rc_regions #(.REGIONS(REGIONS)) u_regions (.*);

  // The first cycle is reset.
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q ? !rst : rst);

  // One region of any number, as it was set last; set-ups wait while an access is held.
  logic which_q;
  always_ff @(posedge clk) which_q <= which;
  always_comb assume (!started_q || which == which_q);
  rc_region_t region_q;
  logic [2:0] held_q;
  logic same;
  logic [130:0] access, access_q;
  assign access = {key, va, length, write, read, atomic};
  assign same   = access == access_q;
  always_ff @(posedge clk) access_q <= access;
  always_ff @(posedge clk) begin
    if (set_valid && set_region.key[31:8] == 24'(which)) region_q <= set_region;
    held_q <= !same || set_valid ? '0 : held_q == 3'd5 ? held_q : held_q + 1'b1;
    if (rst) {region_q, held_q} <= '0;
  end

  // Invariants: the memory and its valid bit are that region.
  `KUMI_ASSERT(i_valid, u_regions.valid_q[which] == region_q.valid)
  `KUMI_ASSERT(i_kept, !region_q.valid || u_regions.u_regions.mem[which] == region_q)

  logic [64:0] low, high;
  logic permitted;
  assign low = {1'b0, va};
  assign high = low + 65'(length);
  assign permitted = region_q.valid && region_q.key == key && low >= {1'b0, region_q.addr} &&
      high <= {1'b0, region_q.addr} + 65'(region_q.length) && (region_q.remote_write || !write) &&
      (region_q.remote_read || !read) && (region_q.remote_atomic || !atomic);
  `KUMI_ASSERT(in_region, !(ok && same && held_q == 3'd5 && key[31:8] == 24'(which)) || permitted)
  `KUMI_ASSERT(known_key, !(ok && same && held_q == 3'd5) || key[31:8] < 24'(REGIONS))
  `KUMI_COVER(allowed, ok && same && held_q == 3'd5 && length == 32'd100)
endmodule
