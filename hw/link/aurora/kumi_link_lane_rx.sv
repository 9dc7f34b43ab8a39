// SPDX-License-Identifier: Apache-2.0
//
// Receive side of one lane: block lock, descrambler and block decoder (Aurora 64B/66B).
//
// s_data, s_head: one scrambled block per cycle, bit 63 and head[1] first on the wire. s_slip asks
//   the SerDes to move the block boundary by one bit.
// kind, data, cc, cb: the block, one cycle later. cc and cb: an idle block with that flag.
// ok: locked for STEADY cycles, and idle blocks have been seen. peer_ok: the other side receives
//   this lane (its idle blocks lack "not ready"); it takes RUN consecutive blocks to change, so bit
//   errors do not flip it.
// Latency: one cycle.
// Bad input: a block without a valid sync header is KIND_ERROR. A lane without lock, or with a high
//   error rate (16 bad headers in 125 us at 156.25 MHz), is not ok.
module kumi_link_lane_rx
  import kumi_link_pkg::*;
#(
    parameter int SLIP_WAIT = 32,   // cycles until a slip has taken effect
    parameter int STEADY    = 1024  // cycles of lock that make a lane usable
) (
    input logic clk,
    input logic rst,

    input  logic [63:0] s_data,
    input  logic [ 1:0] s_head,
    output logic        s_slip,

    output link_block_kind_e        kind,
    output logic             [63:0] data,
    output logic                    cc,
    output logic                    cb,

    output logic locked,
    output logic ok,
    output logic peer_ok,
    output logic ev_bad_sync_header,
    output logic ev_lock_lost
);
  localparam int RUN = 8;  // equal idle blocks in a row that count as a message

  logic hi_ber;

  kumi_64b66b_block_lock #(
      .SLIP_WAIT(SLIP_WAIT)
  ) u_lock (
      .clk,
      .rst,
      .header(s_head),
      .slip(s_slip),
      .block_lock(locked),
      .hi_ber,
      .bad_header(ev_bad_sync_header),
      .lock_lost(ev_lock_lost)
  );

  // The descrambler has bit 0 first.
  logic [63:0] first_low, clear;

  for (genvar i = 0; i < 64; i++) begin : gen_turn
    assign first_low[i] = s_data[63-i];
    always_ff @(posedge clk) data[63-i] <= clear[i];
  end

  kumi_64b66b_descrambler #(
      .W(64)
  ) u_descrambler (
      .clk,
      .en(1'b1),
      .d (first_low),
      .q (clear)
  );

  logic [1:0] head_q;
  logic idle, nr;

  always_ff @(posedge clk) head_q <= s_head;

  assign idle = head_q == HEAD_CTRL && data[63:56] == BT_IDLE;
  assign cc   = idle && data[FLAG_CC];
  assign cb   = idle && data[FLAG_CB] && !data[FLAG_CC];
  assign nr   = idle && data[FLAG_NR] && !data[FLAG_CC];

  always_comb begin
    unique case (head_q)
      HEAD_DATA: kind = KIND_DATA;
      HEAD_CTRL: kind = idle ? KIND_IDLE : KIND_CTRL;
      default:   kind = KIND_ERROR;
    endcase
  end

  // What the line says, with hysteresis. Blocks for bonding and clock compensation say nothing.
  localparam int RUN_W = $clog2(RUN);
  logic quiet_q, nr_q, seen_q;  // of the block before
  localparam int STEADY_W = $clog2(STEADY + 1);
  logic [STEADY_W-1:0] steady_q;
  logic [RUN_W-1:0] run_q;  // blocks in a row that contradict peer_ok

  always_ff @(posedge clk) begin
    quiet_q <= cc || cb || kind == KIND_ERROR;
    nr_q    <= nr;
    if (!quiet_q) begin
      if (nr_q != peer_ok) begin
        run_q <= '0;
      end else if (run_q == RUN_W'(RUN - 1)) begin
        run_q   <= '0;
        peer_ok <= !nr_q;
      end else begin
        run_q <= run_q + 1'b1;
      end
    end
    if (idle) seen_q <= 1'b1;
    if (steady_q != STEADY_W'(STEADY)) steady_q <= steady_q + 1'b1;
    ok <= seen_q && steady_q == STEADY_W'(STEADY);
    if (rst || !locked || hi_ber) begin
      steady_q <= '0;
      run_q    <= '0;
      peer_ok  <= 1'b0;
      seen_q   <= 1'b0;
      ok       <= 1'b0;
    end
  end

endmodule
