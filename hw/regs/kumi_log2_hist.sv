// SPDX-License-Identifier: Apache-2.0
//
// Histogram of 32-bit values over powers of two: bin k counts values from 2^k to 2^(k+1) - 1, and
// bin 0 also the value 0. Bins are 32 bits and wrap.
//
// Handshake: a value counts in every cycle with `valid` high. `clear` empties every bin at once; a
//   value of the same cycle counts after it.
// Latency: a value is in its bin 2 cycles later.
// Register side: the request/acknowledge pulses of an external register region; a read is answered
//   in the next cycle. Writes are acknowledged and ignored.
module kumi_log2_hist (
    input  logic        clk,
    input  logic        rst,
    input  logic        clear,
    input  logic        valid,
    input  logic [31:0] value,
    input  logic        req,
    input  logic        req_is_wr,
    input  logic [ 4:0] req_index,
    output logic        rd_ack,
    output logic [31:0] rd_data,
    output logic        wr_ack
);
  (* ram_style = "distributed" *) logic [31:0] count[32];
  logic [31:0] used_q;  // the bin's memory word counts; all others stand for zero

  logic [4:0] log2;
  always_comb begin
    log2 = '0;
    for (int i = 0; i < 32; ++i) if (value[i]) log2 = 5'(i);
  end

  logic valid_q;
  logic [4:0] bin_q;
  logic [31:0] old;
  assign old = used_q[bin_q] ? count[bin_q] : '0;

  always_ff @(posedge clk) begin
    valid_q <= valid;
    bin_q   <= log2;
    if (valid_q) used_q[bin_q] <= 1'b1;
    if (clear) used_q <= '0;
    if (rst) begin
      valid_q <= 1'b0;
      used_q  <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (valid_q) count[bin_q] <= old + 1'b1;
  end

  always_ff @(posedge clk) begin
    rd_ack  <= req && !req_is_wr;
    wr_ack  <= req && req_is_wr;
    rd_data <= used_q[req_index] ? count[req_index] : '0;
    if (rst) begin
      rd_ack <= 1'b0;
      wr_ack <= 1'b0;
    end
  end
endmodule
