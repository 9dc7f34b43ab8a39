// SPDX-License-Identifier: Apache-2.0
//
// FIFOs of what events cause outside of the sessions' state: commands to the receive side, space
// records to the transmit side, tuples to remove, responses to opens.
//
// rx_*, space_*, del_push, opened_*: pulses of the event engine; failed_*: of the connection
//   manager (not together with opened_push). An event starts only with space for its effects:
//   rx_depth, space_depth and del_depth tell how much is in use.
// m_rx_cmd, m_tx_space, m_open_rsp, del_*: the oldest of each, valid/ready. A response to an open
//   is offered once the transmit side knows the session.
// open_take: an open was accepted; open_may: another one may be, at most OPENS are outstanding, so
//   responses never overflow.
// Latency: 0 for commands (kumi_fifo_bypass), that of kumi_fifo for the others.
`include "kumi_assert.svh"

module kumi_tcp_effect_fifos
  import kumi_tcp_pkg::*;
#(
    parameter int DEPTH = 8,   // commands, space records
    parameter int ENDED = 16,  // tuples to remove
    parameter int OPENS = 64   // outstanding opens, a power of two
) (
    input logic clk,
    input logic rst,
    // effects
    input logic rx_push,
    input tcp_rx_cmd_t rx_rec,
    input logic space_push,
    input tcp_tx_space_t space_rec,
    input logic del_push,
    input tcp_tuple_t del_in,
    input logic opened_push,
    input tcp_open_rsp_t opened_rec,
    input logic failed_valid,
    input tcp_open_rsp_t failed_rec,
    output logic [$clog2(DEPTH):0] rx_depth,
    output logic [$clog2(DEPTH):0] space_depth,
    output logic [$clog2(ENDED):0] del_depth,
    // opens
    input logic open_take,
    output logic open_may,
    // out
    kumi_rec_if.src m_rx_cmd,
    kumi_rec_if.src m_tx_space,
    kumi_rec_if.src m_open_rsp,
    output logic del_valid,
    output tcp_tuple_t del_tuple,
    input logic del_take
);
  logic rx_fits, space_fits, del_fits, opened_fits;

  kumi_fifo_bypass #(
      .W($bits(tcp_rx_cmd_t)),
      .DEPTH(DEPTH)
  ) u_rx_cmd (
      .clk,
      .rst,
      .s_data (rx_rec),
      .s_valid(rx_push),
      .s_ready(rx_fits),
      .m_data (m_rx_cmd.data),
      .m_valid(m_rx_cmd.valid),
      .m_ready(m_rx_cmd.ready),
      .depth  (rx_depth)
  );

  kumi_fifo #(
      .W($bits(tcp_tx_space_t)),
      .DEPTH(DEPTH)
  ) u_space (
      .clk,
      .rst,
      .s_data (space_rec),
      .s_valid(space_push),
      .s_ready(space_fits),
      .m_data (m_tx_space.data),
      .m_valid(m_tx_space.valid),
      .m_ready(m_tx_space.ready),
      .depth  (space_depth)
  );

  kumi_fifo #(
      .W($bits(tcp_tuple_t)),
      .DEPTH(ENDED)
  ) u_del (
      .clk,
      .rst,
      .s_data (del_in),
      .s_valid(del_push),
      .s_ready(del_fits),
      .m_data (del_tuple),
      .m_valid(del_valid),
      .m_ready(del_take),
      .depth  (del_depth)
  );

  // ---- open responses: one credit per open ----------------------------------------------------
  logic opened_valid, opened_move, hold_q;
  tcp_open_rsp_t opened_data;
  logic [$clog2(OPENS):0] opens_q, opened_depth;

  kumi_fifo #(
      .W($bits(tcp_open_rsp_t)),
      .DEPTH(OPENS)
  ) u_opened (
      .clk,
      .rst,
      .s_data (opened_push ? opened_rec : failed_rec),
      .s_valid(opened_push || failed_valid),
      .s_ready(opened_fits),
      .m_data (opened_data),
      .m_valid(opened_valid),
      .m_ready(opened_move),
      .depth  (opened_depth)
  );

  assign opened_move = opened_valid && !hold_q && space_depth == '0 && !m_tx_space.valid;
  assign m_open_rsp.valid = hold_q;
  assign open_may = !opens_q[$clog2(OPENS)];

  always_ff @(posedge clk) begin
    if (opened_move) begin
      hold_q <= 1'b1;
      m_open_rsp.data <= opened_data;
    end else if (m_open_rsp.ready) begin
      hold_q <= 1'b0;
    end
    opens_q <= opens_q + ($bits(
        opens_q
    ))'(open_take) - ($bits(
        opens_q
    ))'(m_open_rsp.valid && m_open_rsp.ready);
    if (rst) begin
      hold_q  <= 1'b0;
      opens_q <= '0;
    end
  end

  `KUMI_ASSERT(a_rx_fits, !rx_push || rx_fits)
  `KUMI_ASSERT(a_space_fits, !space_push || space_fits)
  `KUMI_ASSERT(a_del_fits, !del_push || del_fits)
  `KUMI_ASSERT(a_opened_fits, !(opened_push || failed_valid) || opened_fits)
  `KUMI_ASSERT(a_one_answer, !(opened_push && failed_valid))

  logic unused;
  assign unused = ^{rx_fits, space_fits, del_fits, opened_fits, opened_depth};
endmodule
