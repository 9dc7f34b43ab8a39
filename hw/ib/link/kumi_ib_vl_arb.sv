// SPDX-License-Identifier: Apache-2.0
//
// Arbitration between virtual lanes (IBTA volume 1, clause 7.6.9): VL15 first, then the table of
// high priority up to its limit, then that of low priority.
//
// Limit of high priority: so many times 4096 bytes may go from the high table while the low one has
// packets that could go, then one of the low table goes; 0: one packet, 255: no limit. What the
// high table sends while the low one has nothing counts too.
// req, mgmt: data lanes and VL15 with a packet that may go; they must be right in the cycle after
//   `done`. grant_*: the choice, held until `done`; grant_ring is DATA_VLS for VL15. take: a packet
//   goes, and the lane is charged with its `blocks`; none, one or several before or with `done`.
// grant_share: blocks that the lane may send in this turn before others must be chosen, 15 at most;
//   the last packet may go beyond, and more is a loss to lanes that wait. Latency 2 cycles; one
//   choice every 3 cycles at most.
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
    output logic          [            3:0]      grant_share,
    input  logic                                 take,
    input  logic                                 done
);
  logic [14:0] limit_q;  // blocks that the high table may still send
  logic [DATA_VLS-1:0] req_q;
  logic mgmt_q, wait_q, high_any, low_any, use_high, choose;
  logic high_q, low_q, high_charge_q, low_charge_q;  // the table of the choice
  logic [6:0] charge_q;
  logic [3:0] high_vl, low_vl;
  logic [7:0] high_left, low_left;
  logic [DATA_VLS:0] all_req;
  logic alone, alone_q, once_q;  // no other lane asks; only one packet may go
  logic scarce;  // the limit of the high table may end within a turn

  assign choose = !grant_valid && !wait_q && (mgmt_q || high_any || low_any);
  assign use_high = high_any && (high_limit == '1 || limit_q != '0 || !low_any);
  assign grant_blocks = blocks[grant_ring];

  kumi_ib_wrr #(
      .DATA_VLS(DATA_VLS),
      .ENTRIES (ARB_ENTRIES)
  ) u_high (
      .clk,
      .rst,
      .entries(high),
      .req(req_q),
      .any(high_any),
      .vl(high_vl),
      .left(high_left),
      .pick(choose && !mgmt_q && use_high),
      .charge(high_charge_q),
      .charge_blocks(charge_q)
  );

  kumi_ib_wrr #(
      .DATA_VLS(DATA_VLS),
      .ENTRIES (ARB_ENTRIES)
  ) u_low (
      .clk,
      .rst,
      .entries(low),
      .req(req_q),
      .any(low_any),
      .vl(low_vl),
      .left(low_left),
      .pick(choose && !mgmt_q && !use_high),
      .charge(low_charge_q),
      .charge_blocks(charge_q)
  );

  assign all_req = {mgmt_q, req_q};
  assign scarce  = high_limit != '1 && limit_q[14:4] == '0;
  assign alone   = (all_req & (DATA_VLS + 1)'(above_first(FIRST_W'(all_req)))) == '0;

  function automatic logic [3:0] clip(input logic [7:0] blocks_left);
    return blocks_left > 8'd15 ? 4'd15 : blocks_left[3:0];
  endfunction
  assign grant_share = once_q ? 4'd1 : alone_q ? 4'd15 : clip(high_q ? high_left : low_left);

  always_ff @(posedge clk) begin
    req_q         <= req;
    mgmt_q        <= mgmt;
    wait_q        <= done;
    high_charge_q <= take && high_q;
    low_charge_q  <= take && low_q;
    charge_q      <= grant_blocks;
    if (choose) begin
      high_q <= !mgmt_q && use_high;
      low_q <= !mgmt_q && !use_high;
      alone_q <= alone;
      once_q <= mgmt_q || (use_high ? scarce && low_any : high_any);
      grant_valid <= 1'b1;
      grant_ring  <= mgmt_q ? RING_W'(DATA_VLS) : use_high ? high_vl[RING_W-1:0] :
          low_vl[RING_W-1:0];
    end
    if (done) grant_valid <= 1'b0;
    if (low_charge_q) limit_q <= high_limit == '0 ? 15'd1 : {1'b0, high_limit, 6'd0};
    else if (high_charge_q) begin
      limit_q <= limit_q > 15'(charge_q) ? limit_q - 15'(charge_q) : '0;
    end
    if (rst) begin
      req_q         <= '0;
      mgmt_q        <= 1'b0;
      wait_q        <= 1'b0;
      grant_valid   <= 1'b0;
      high_charge_q <= 1'b0;
      low_charge_q  <= 1'b0;
      limit_q       <= '0;
    end
  end

  logic unused;
  assign unused = ^{high_vl, low_vl};
endmodule
