// SPDX-License-Identifier: Apache-2.0
//
// What a session takes from its peer's SYN, or from a cookie for one: the size of a full segment
//   and the first numbers of the receive side.
//
// y is valid one cycle after seg, which remains stable. A missing option counts as 536 (RFC 9293,
// 3.7.1), values below MIN_MSS as that; cfg.mss is the upper bound, and timestamps take 12 bytes.
module kumi_tcp_syn_numbers
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int RX_RING = 65536
) (
    input logic clk,
    input tcp_cfg_t cfg,
    input tcp_seg_t seg,
    output tcp_syn_numbers_t y
);
  localparam logic [15:0] STAMPS = 16'd12;
  // The window that this side's SYN advertises is not scaled.
  localparam logic [31:0] SYN_WND = RX_RING > 65535 ? 32'd65535 : RX_RING;

  logic [15:0] asked_q, own_less_q;
  logic [31:0] nxt_q, adv_q;
  logic stamps;
  assign stamps = cfg.use_ts && seg.opts.ts_valid;

  always_ff @(posedge clk) begin
    asked_q <= !seg.opts.mss_valid ? 16'd536 : seg.opts.mss < MIN_MSS ? MIN_MSS : seg.opts.mss;
    own_less_q <= cfg.mss - STAMPS;
    nxt_q <= seg.seq + 32'd1;
    adv_q <= seg.seq + (32'd1 + SYN_WND);
  end

  // Both sizes are reduced before one of them is selected.
  always_comb begin
    y.nxt = nxt_q;
    y.adv = adv_q;
    if (asked_q < cfg.mss) y.mss = stamps ? asked_q - STAMPS : asked_q;
    else y.mss = stamps ? own_less_q : cfg.mss;
  end

  logic unused;
  assign unused = ^{cfg, seg};
endmodule
