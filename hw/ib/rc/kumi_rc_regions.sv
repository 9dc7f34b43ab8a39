// SPDX-License-Identifier: Apache-2.0
//
// Memory regions: whether a remote access may be made (IBTA volume 1, clause 10.6.3).
//
// set_*: writes the region that set_region.key names.
// key, va, length, write, read, atomic: an access of length bytes, 1 or more, held for 6 cycles;
//   ok is valid in the sixth. An unknown key, a byte outside the region or a missing right: 0.
module kumi_rc_regions
  import kumi_rc_pkg::*;
#(
    parameter int REGIONS = 64  // a power of two, 2 or more
) (
    input logic clk,
    input logic rst,

    input logic set_valid,
    input rc_region_t set_region,

    input  logic [31:0] key,
    input  logic [63:0] va,
    input  logic [31:0] length,
    input  logic        write,
    input  logic        read,
    input  logic        atomic,
    output logic        ok
);
  localparam int INDEX_W = $clog2(REGIONS);

  if (REGIONS < 2 || (REGIONS & (REGIONS - 1)) != 0 || INDEX_W > 24) begin : gen_check
    $fatal(0, "REGIONS must be a power of two from 2 on (%m)");
  end

  logic [REGIONS-1:0] valid_q;
  logic set_fits, known_q, right_q, key_ok_q, below_q, ok_q;
  rc_region_t region;  // behind the memory's register
  logic [RC_REGION_W-1:0] region_bits;
  // Distances in halves, the upper ones for both cases of the lower one's borrow and carry.
  logic borrow_q, end_carry_q;
  logic [31:0] low_q, high_q, high_less_q, end_low_q;
  logic [7:0] end_high_q;
  logic high_borrow_q, less_borrow_q, high_borrow;
  logic [31:0] high;

  assign set_fits = set_region.key[31:8] < 24'(REGIONS);

  kumi_ram_sdp #(
      .W(RC_REGION_W),
      .DEPTH(REGIONS),
      .STYLE(2),
      .RDW(1)
  ) u_regions (
      .clk,
      .wr_en  (set_valid && set_fits),
      .wr_addr(set_region.key[8+:INDEX_W]),
      .wr_data(set_region),
      .rd_en  (1'b1),
      .rd_addr(key[8+:INDEX_W]),
      .rd_data(region_bits)
  );

  always_ff @(posedge clk) begin
    if (set_valid && set_fits) valid_q[set_region.key[8+:INDEX_W]] <= set_region.valid;
    // 1: the region
    known_q <= valid_q[key[8+:INDEX_W]] && key[31:8] < 24'(REGIONS);
    // 2
    region <= region_bits;
    // 3: distance from its start, rights
    {borrow_q, low_q} <= {1'b0, va[31:0]} - {1'b0, region.addr[31:0]};
    {high_borrow_q, high_q} <= {1'b0, va[63:32]} - {1'b0, region.addr[63:32]};
    {less_borrow_q, high_less_q} <= {1'b0, va[63:32]} + {1'b1, ~region.addr[63:32]};
    key_ok_q <= known_q && region.key == key;
    right_q  <= (region.remote_write || !write) && (region.remote_read || !read) &&
        (region.remote_atomic || !atomic);
    // 4: distance of the end
    {end_carry_q, end_low_q} <= low_q + length;
    end_high_q <= high[7:0];
    below_q <= !high_borrow && high[31:8] == '0 && key_ok_q && right_q;
    // 5
    ok_q <= below_q && (9'(end_high_q) + 9'(end_carry_q) < 9'(region.length[39:32]) ||
        (9'(end_high_q) + 9'(end_carry_q) == 9'(region.length[39:32]) &&
         end_low_q <= region.length[31:0]));
    if (rst) valid_q <= '0;
  end
  assign {high_borrow, high} = borrow_q ? {less_borrow_q, high_less_q} : {high_borrow_q, high_q};
  assign ok = ok_q;

  logic unused;
  assign unused = region.valid;
endmodule
