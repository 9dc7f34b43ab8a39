// SPDX-License-Identifier: Apache-2.0
//
// Arbitration between virtual lanes (IBTA volume 1, clause 7.6.9): VL15 first, then the table of
// high priority up to its limit, then that of low priority.
//
// Limit of high priority: so many times 4096 bytes may go from the high table while the low one has
// packets that could go, then one of the low table goes; 0: one packet, 255: no limit. What the
// high table sends while the low one has nothing counts too.
// req, mgmt: data lanes and VL15 with a packet that may go, and blocks its length. grant_*: the
//   choice, held until `take`; grant_ring is DATA_VLS for VL15. Latency 1 cycle; one choice every
//   2 cycles at most, because req must be right in the cycle after a take.
module kumi_ib_vl_arb
  import kumi_ib_link_pkg::*;
#(
    parameter  int DATA_VLS = 4,
    localparam int RING_W   = $clog2(DATA_VLS + 1)
) (
    input  logic                                 clk,
    input  logic                                 rst,
    input  logic          [            7:0]      high_limit,
    input  vl_arb_entry_t [ARB_ENTRIES-1:0]      high,
    input  vl_arb_entry_t [ARB_ENTRIES-1:0]      low,
    input  logic          [   DATA_VLS-1:0]      req,
    input  logic                                 mgmt,
    input  logic          [     DATA_VLS:0][6:0] blocks,
    output logic                                 grant_valid,
    output logic          [     RING_W-1:0]      grant_ring,
    output logic          [            6:0]      grant_blocks,
    input  logic                                 take
);
  logic [14:0] limit_q;  // blocks that the high table may still send
  logic high_any, low_any, use_high, choose;
  logic [3:0] high_vl, low_vl;
  logic [RING_W-1:0] ring;
  logic [6:0] ring_blocks;

  assign choose = !grant_valid && (mgmt || high_any || low_any);
  assign use_high = high_any && (high_limit == '1 || limit_q != '0 || !low_any);
  assign ring = mgmt ? RING_W'(DATA_VLS) : use_high ? high_vl[RING_W-1:0] : low_vl[RING_W-1:0];
  assign ring_blocks = blocks[ring];

  kumi_ib_wrr #(
      .DATA_VLS(DATA_VLS),
      .ENTRIES (ARB_ENTRIES)
  ) u_high (
      .clk,
      .rst,
      .entries(high),
      .req,
      .any(high_any),
      .vl(high_vl),
      .take(choose && !mgmt && use_high),
      .take_blocks(ring_blocks)
  );

  kumi_ib_wrr #(
      .DATA_VLS(DATA_VLS),
      .ENTRIES (ARB_ENTRIES)
  ) u_low (
      .clk,
      .rst,
      .entries(low),
      .req,
      .any(low_any),
      .vl(low_vl),
      .take(choose && !mgmt && !use_high),
      .take_blocks(ring_blocks)
  );

  always_ff @(posedge clk) begin
    if (choose) begin
      grant_valid  <= 1'b1;
      grant_ring   <= ring;
      grant_blocks <= ring_blocks;
      if (!mgmt) begin
        if (!use_high) limit_q <= high_limit == '0 ? 15'd1 : {1'b0, high_limit, 6'd0};
        else if (limit_q > 15'(ring_blocks)) limit_q <= limit_q - 15'(ring_blocks);
        else limit_q <= '0;
      end
    end
    if (take) grant_valid <= 1'b0;
    if (rst) begin
      grant_valid <= 1'b0;
      limit_q     <= '0;
    end
  end

  logic unused;
  assign unused = ^{high_vl, low_vl};
endmodule
