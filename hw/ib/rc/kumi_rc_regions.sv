// SPDX-License-Identifier: Apache-2.0
//
// Memory regions: whether a remote access may be made (IBTA volume 1, clause 10.6.3).
//
// set_*: writes the region that set_region.key names.
// key, va, length, write, read, atomic: an access of length bytes, 1 or more, held for 5 cycles;
//   ok is valid in the fifth. An unknown key, a byte outside the region or a missing right: 0.
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
  rc_region_t region;
  logic [64:0] offset_q;
  logic [40:0] end_q;

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
      .rd_data(region)
  );

  always_ff @(posedge clk) begin
    if (set_valid && set_fits) valid_q[set_region.key[8+:INDEX_W]] <= set_region.valid;
    // 1: the region
    known_q <= valid_q[key[8+:INDEX_W]] && key[31:8] < 24'(REGIONS);
    // 2: distance from its start, rights
    offset_q <= {1'b0, va} - {1'b0, region.addr};
    key_ok_q <= known_q && region.key == key;
    right_q  <= (region.remote_write || !write) && (region.remote_read || !read) &&
        (region.remote_atomic || !atomic);
    // 3: distance of the end
    end_q <= {1'b0, offset_q[39:0]} + 41'(length);
    below_q <= offset_q[64:40] == '0 && key_ok_q && right_q;
    // 4
    ok_q <= below_q && end_q <= {1'b0, region.length};
    if (rst) valid_q <= '0;
  end
  assign ok = ok_q;

  logic unused;
  assign unused = region.valid;
endmodule
