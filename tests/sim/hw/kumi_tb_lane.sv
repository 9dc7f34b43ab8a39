// SPDX-License-Identifier: Apache-2.0
//
// One lane's worth of a test node: sends the words of a xorshift generator (Marsaglia 2003, 13-7-17),
// finds the block boundary by slipping, and checks that each word follows from the one before.
module kumi_tb_lane #(
    parameter logic [63:0] START = 64'd1
) (
    input  logic        clk,
    input  logic        rst,
    output logic [63:0] tx_data,
    output logic [ 1:0] tx_head,
    input  logic        rx_clk,
    input  logic        rx_rst,
    input  logic [63:0] rx_data,
    input  logic [ 1:0] rx_head,
    output logic        slip,
    output logic        locked,
    output logic [31:0] good,
    output logic [31:0] errors
);

  function automatic logic [63:0] follow(input logic [63:0] word);
    logic [63:0] x;
    x = word ^ (word << 13);
    x = x ^ (x >> 7);
    return x ^ (x << 17);
  endfunction

  always_ff @(posedge clk) tx_data <= rst ? START : follow(tx_data);
  assign tx_head = tx_data[0] ? 2'b01 : 2'b10;

  logic [5:0] run_q, rest_q;
  logic [4:0] bad_q;
  logic [63:0] last_q;
  wire head_ok = rx_head[0] ^ rx_head[1];
  always_ff @(posedge rx_clk) begin
    slip   <= 1'b0;
    last_q <= rx_data;
    run_q  <= run_q + 1'b1;
    if (rest_q != 0) begin
      rest_q <= rest_q - 1'b1;
      run_q  <= '0;
    end else if (!locked) begin
      if (!head_ok) begin
        slip   <= 1'b1;
        rest_q <= 6'd3;
        run_q  <= '0;
      end else if (&run_q) begin
        locked <= 1'b1;
        bad_q  <= '0;
      end
    end else begin
      if (rx_data == follow(last_q) && rx_head == (rx_data[0] ? 2'b01 : 2'b10)) good <= good + 1;
      else errors <= errors + 1;
      if (!head_ok) bad_q <= bad_q + 1'b1;
      if (&run_q) bad_q <= '0;
      if (!head_ok && bad_q == 5'd15) locked <= 1'b0;
    end
    if (rx_rst) begin
      {locked, slip, run_q, rest_q, bad_q} <= '0;
      {good, errors} <= '0;
    end
  end
endmodule
