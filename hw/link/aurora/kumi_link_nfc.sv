// SPDX-License-Identifier: Apache-2.0
//
// Native flow control of Aurora 64B/66B, both sides.
//
// full: how full the receive buffer is. Above HIGH the other side is told to stop (XOFF), below LOW
//   to go on (XON). A block may be lost, so the last word is said again every AGAIN cycles, XOFF
//   while it holds and XON for ever after an XOFF. HIGH must leave room for what is on its way.
// rx_*: what the other side says: XOFF, XON, or a pause of n + 1 cycles. pause follows one cycle
//   later. An XOFF that is not repeated for LIMIT cycles ends by itself, so that a lost XON of a
//   partner that says it once does not stop the link for good (0: it never ends).
// tx_*: blocks to send, held until taken. All states end when the link goes down.
module kumi_link_nfc #(
    parameter int DEPTH = 512,    // beats of the buffer, a power of two
    parameter int HIGH  = 256,    // beats
    parameter int LOW   = 128,    // beats
    parameter int AGAIN = 4096,   // cycles
    parameter int LIMIT = 262144  // cycles
) (
    input logic clk,
    input logic rst,
    input logic up,

    input  logic [$clog2(DEPTH):0] full,
    output logic                   tx_valid,
    input  logic                   tx_ready,
    output logic [           55:0] tx_data,

    input  logic        rx_valid,
    input  logic [55:0] rx_data,
    output logic        pause,

    output logic ev_xoff_sent,
    output logic ev_xoff_seen
);
  localparam int FULL_W = $clog2(DEPTH) + 1;
  localparam int AGAIN_W = $clog2(AGAIN);
  localparam int LIMIT_W = LIMIT < 2 ? 1 : $clog2(LIMIT);

  if (LOW >= HIGH || HIGH > DEPTH) begin : gen_check_levels
    $fatal(0, "LOW < HIGH <= DEPTH (%m)");
  end

  // ---- What we say ------------------------------------------------------------------------------
  logic stop_q, ever_q;
  logic [AGAIN_W-1:0] again_q;

  always_ff @(posedge clk) begin
    ev_xoff_sent <= 1'b0;
    again_q      <= again_q + 1'b1;
    if (tx_ready) tx_valid <= 1'b0;
    if (!stop_q && full >= FULL_W'(HIGH)) begin
      stop_q       <= 1'b1;
      ever_q       <= 1'b1;
      tx_valid     <= 1'b1;
      again_q      <= '0;
      ev_xoff_sent <= 1'b1;
    end else if (stop_q && full <= FULL_W'(LOW)) begin
      stop_q   <= 1'b0;
      tx_valid <= 1'b1;
      again_q  <= '0;
    end else if (again_q == AGAIN_W'(AGAIN - 1)) begin
      again_q  <= '0;
      tx_valid <= ever_q;
    end
    if (rst || !up) begin
      stop_q       <= 1'b0;
      ever_q       <= 1'b0;
      tx_valid     <= 1'b0;
      again_q      <= '0;
      ev_xoff_sent <= 1'b0;
    end
  end

  assign tx_data = {8'd0, stop_q, 47'd0};

  // ---- What we hear -----------------------------------------------------------------------------
  logic xoff_q;
  logic [8:0] count_q;
  logic [LIMIT_W-1:0] limit_q;

  always_ff @(posedge clk) begin
    ev_xoff_seen <= 1'b0;
    limit_q      <= limit_q + 1'b1;
    if (count_q != '0) count_q <= count_q - 1'b1;
    if (LIMIT != 0 && limit_q == LIMIT_W'(LIMIT - 1)) xoff_q <= 1'b0;
    if (rx_valid) begin
      limit_q <= '0;
      count_q <= rx_data[55:48] == '0 ? '0 : 9'(rx_data[55:48]) + 9'd1;
      if (rx_data[47]) xoff_q <= 1'b1;
      else if (rx_data[55:48] == '0) xoff_q <= 1'b0;
      ev_xoff_seen <= rx_data[47] && !xoff_q;
    end
    if (rst || !up) begin
      xoff_q       <= 1'b0;
      count_q      <= '0;
      limit_q      <= '0;
      ev_xoff_seen <= 1'b0;
    end
  end

  assign pause = xoff_q || count_q != '0;

  logic unused;
  assign unused = ^rx_data[46:0];
endmodule
