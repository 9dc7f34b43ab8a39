// SPDX-License-Identifier: Apache-2.0
//
// Native flow control (NFC) of Aurora 64B/66B, both directions.
//
// full: fill level of the receive buffer. Above HIGH the other side is told to stop (XOFF), below
//   LOW to resume (XON). A block may be lost, so the last state is repeated every REFRESH cycles,
//   XOFF while it holds and XON forever after an XOFF. HIGH must leave room for what is in flight.
// rx_*: from the other side: XOFF, XON, or a pause of n + 1 cycles. pause follows one cycle later.
//   An XOFF that is not repeated for XOFF_TIMEOUT cycles expires, so that a lost XON of a partner
//   that sends it once does not stop the link forever (0: never).
// tx_*: blocks to send, held until accepted. All state is cleared when the link goes down.
module kumi_link_nfc #(
    parameter int DEPTH = 512,  // beats of the buffer, a power of two
    parameter int HIGH = 256,  // beats
    parameter int LOW = 128,  // beats
    parameter int REFRESH = 4096,  // cycles
    parameter int XOFF_TIMEOUT = 262144  // cycles
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
  localparam int REFRESH_W = $clog2(REFRESH);
  localparam int XOFF_TIMEOUT_W = XOFF_TIMEOUT < 2 ? 1 : $clog2(XOFF_TIMEOUT);

  if (LOW >= HIGH || HIGH > DEPTH) begin : gen_check_levels
    $fatal(0, "LOW < HIGH <= DEPTH (%m)");
  end

  // ---- Transmit: our state ----------------------------------------------------------------------
  logic stop_q, ever_q;
  logic [REFRESH_W-1:0] refresh_q;

  always_ff @(posedge clk) begin
    ev_xoff_sent <= 1'b0;
    refresh_q    <= refresh_q + 1'b1;
    if (tx_ready) tx_valid <= 1'b0;
    if (!stop_q && full >= FULL_W'(HIGH)) begin
      stop_q       <= 1'b1;
      ever_q       <= 1'b1;
      tx_valid     <= 1'b1;
      refresh_q    <= '0;
      ev_xoff_sent <= 1'b1;
    end else if (stop_q && full <= FULL_W'(LOW)) begin
      stop_q <= 1'b0;
      tx_valid <= 1'b1;
      refresh_q <= '0;
    end else if (refresh_q == REFRESH_W'(REFRESH - 1)) begin
      refresh_q <= '0;
      tx_valid  <= ever_q;
    end
    if (rst || !up) begin
      stop_q       <= 1'b0;
      ever_q       <= 1'b0;
      tx_valid     <= 1'b0;
      refresh_q    <= '0;
      ev_xoff_sent <= 1'b0;
    end
  end

  assign tx_data = {8'd0, stop_q, 47'd0};

  // ---- What we hear -----------------------------------------------------------------------------
  logic xoff_q;
  logic [8:0] count_q;
  logic [XOFF_TIMEOUT_W-1:0] xoff_timeout_q;

  always_ff @(posedge clk) begin
    ev_xoff_seen   <= 1'b0;
    xoff_timeout_q <= xoff_timeout_q + 1'b1;
    if (count_q != '0) count_q <= count_q - 1'b1;
    if (XOFF_TIMEOUT != 0 && xoff_timeout_q == XOFF_TIMEOUT_W'(XOFF_TIMEOUT - 1)) xoff_q <= 1'b0;
    if (rx_valid) begin
      xoff_timeout_q <= '0;
      count_q <= rx_data[55:48] == '0 ? '0 : 9'(rx_data[55:48]) + 9'd1;
      if (rx_data[47]) xoff_q <= 1'b1;
      else if (rx_data[55:48] == '0) xoff_q <= 1'b0;
      ev_xoff_seen <= rx_data[47] && !xoff_q;
    end
    if (rst || !up) begin
      xoff_q         <= 1'b0;
      count_q        <= '0;
      xoff_timeout_q <= '0;
      ev_xoff_seen   <= 1'b0;
    end
  end

  assign pause = xoff_q || count_q != '0;

  logic unused;
  assign unused = ^rx_data[46:0];
endmodule
