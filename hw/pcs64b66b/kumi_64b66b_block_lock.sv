// SPDX-License-Identifier: Apache-2.0
//
// Block lock and bit error rate monitor for 64b/66b (IEEE 802.3 figures 49-14 and 49-15).
//
// Checks the sync header of each block. 64 consecutive valid headers give lock; without lock every
//   invalid header requests a slip of one bit, with lock 16 invalid ones among 64 do. 16 invalid
//   headers within 125 us set hi_ber, a window with fewer clears it.
// slip: one-cycle pulse; the headers of the next SLIP_WAIT cycles are ignored.
// Latency: one cycle.
module kumi_64b66b_block_lock #(
    parameter int SLIP_WAIT  = 32,    // cycles until a slip has taken effect
    parameter int BER_WINDOW = 19531  // cycles of 125 microseconds
) (
    input logic clk,
    input logic rst,

    input logic [1:0] header,

    output logic slip,
    output logic block_lock,
    output logic hi_ber,
    output logic bad_header,  // one-cycle pulse while locked
    output logic lock_lost    // one-cycle pulse
);

  if (SLIP_WAIT < 1 || BER_WINDOW < 64) begin : gen_check_parameters
    $fatal(0, "SLIP_WAIT must be at least 1, BER_WINDOW at least 64 (%m)");
  end

  localparam int WAIT_W = $clog2(SLIP_WAIT + 1);
  localparam int BER_W = $clog2(BER_WINDOW);

  logic valid, waiting;
  logic [5:0] count_q;  // headers of this round
  logic [4:0] invalid_q;
  logic [WAIT_W-1:0] wait_q;
  logic do_slip;
  logic [BER_W-1:0] window_q;
  logic [4:0] ber_q;  // stops at 16

  assign valid   = header[0] != header[1];
  assign waiting = wait_q != '0;
  assign do_slip = !waiting && !valid && (!block_lock || invalid_q == 5'd15);

  always_ff @(posedge clk) begin
    slip       <= do_slip;
    lock_lost  <= do_slip && block_lock;
    bad_header <= !valid && block_lock;
    if (waiting) begin
      wait_q <= wait_q - 1'b1;
    end else if (do_slip) begin
      block_lock <= 1'b0;
      count_q    <= '0;
      invalid_q  <= '0;
      wait_q     <= WAIT_W'(SLIP_WAIT);
    end else begin
      count_q   <= count_q + 6'd1;
      invalid_q <= invalid_q + 5'(!valid);
      if (count_q == 6'd63) begin
        invalid_q <= '0;
        if (valid && invalid_q == '0) block_lock <= 1'b1;
      end
    end
    if (rst) begin
      slip       <= 1'b0;
      lock_lost  <= 1'b0;
      bad_header <= 1'b0;
      block_lock <= 1'b0;
      count_q    <= '0;
      invalid_q  <= '0;
      wait_q     <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (window_q == BER_W'(BER_WINDOW - 1)) begin
      window_q <= '0;
      ber_q    <= '0;
      if (!ber_q[4]) hi_ber <= 1'b0;
    end else begin
      window_q <= window_q + 1'b1;
      if (!valid && !ber_q[4]) ber_q <= ber_q + 5'd1;
    end
    if (ber_q[4]) hi_ber <= 1'b1;
    if (rst || !block_lock) begin
      window_q <= '0;
      ber_q    <= '0;
      hi_ber   <= 1'b0;
    end
  end

endmodule
