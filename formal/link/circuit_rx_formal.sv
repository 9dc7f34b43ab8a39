// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_circuit_rx: it never hangs, whatever words come.
//
// Nothing is assumed of the words. Proved:
//   a packet that is open and gets no word for TIMEOUT cycles in which there is room is ended;
//   the fifos of words and verdicts never overrun, and each last word has its one verdict;
//   a word at the head is held back for 6 cycles at most (until its CRC is known), else it is
//   offered, and stays until it is taken.
// The CRC is replaced by one with the same latency and any value (stdm_no_crc.sv).
`include "kumi_assert.svh"
module circuit_rx_formal
  import kumi_circuit_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        word_valid,
    input logic [63:0] word_data,
    input logic        m_ready
);
  localparam int TIMEOUT = 3;

  kumi_axis_if #(.DATA_W(64)) s_axis ();
  kumi_axis_if #(.DATA_W(64)) m_axis ();
  circuit_rx_events_t ev;
  assign s_axis.tvalid = word_valid;
  assign s_axis.tdata  = word_data;
  assign m_axis.tready = m_ready;

  kumi_circuit_rx #(
      .TIMEOUT(TIMEOUT)
  ) u_dut (
      .clk,
      .rst,
      .s_axis(s_axis),
      .m_axis(m_axis),
      .ev
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // A packet that gets nothing is closed.
  logic [2:0] idle_q;
  always_ff @(posedge clk) begin
    idle_q <= rst || !u_dut.inside_q || u_dut.word || u_dut.truncated || !u_dut.run ? '0 : idle_q + 1'b1;
  end
  `KUMI_ASSERT(a_timeout, idle_q <= 3'(TIMEOUT))
  `KUMI_ASSERT(i_idle, 32'(u_dut.wait_q) <= TIMEOUT && 32'(idle_q) <= 32'(u_dut.wait_q))

  // Last words between the input and their verdict, and between their verdict and the output.
  logic [4:0] crc_words, want_words, verdicts, lasts_q;
  logic push_last, pop_last;
  assign push_last = u_dut.step && u_dut.last;
  assign pop_last  = m_axis.tvalid && m_axis.tready && m_axis.tlast;
  always_comb begin
    crc_words = '0;
    for (int i = 0; i < 4; i++) crc_words += 5'(u_dut.u_crc.done_q[i]);
    want_words = u_dut.want_depth + 5'(u_dut.u_want.m_valid);
    verdicts   = u_dut.verdict_depth + 5'(u_dut.u_verdict.m_valid);
  end
  always_ff @(posedge clk) begin
    lasts_q <= rst ? '0 : lasts_q + 5'(push_last) - 5'(pop_last);
  end
  `KUMI_ASSERT(i_under_way, u_dut.under_way_q == lasts_q)
  `KUMI_ASSERT(i_split, lasts_q == crc_words + verdicts && want_words == crc_words)
  `KUMI_ASSERT(a_lasts, lasts_q <= 5'd15)
  `KUMI_ASSERT(i_room, !u_dut.crc_room_q || lasts_q <= 5'd13)
  `KUMI_ASSERT(
      i_some,
      u_dut.u_want.some_q == (u_dut.want_depth != '0) && u_dut.u_verdict.some_q == (u_dut.verdict_depth != '0) && u_dut.u_queue.some_q == (u_dut.queue_depth != '0))
  `KUMI_ASSERT(
      i_depths,
      u_dut.want_depth <= 5'd16 && u_dut.verdict_depth <= 5'd16 && u_dut.queue_depth <= 5'd16)
  // The last words in the queue are those without a verdict that was used.
  localparam int LAST_BIT = 64 + 8;
  logic [4:0] in_queue;
  logic [15:0][4:0] place;
  always_comb begin
    in_queue = 5'(u_dut.out_valid && u_dut.out_last);
    for (int i = 0; i < 16; i++) place[i] = 5'(4'(u_dut.u_queue.rd_q + 4'(i)));
  end
  logic [15:0] last_at;
  for (genvar i = 0; i < 16; i++) begin : gen_at
    logic [72:0] entry;
    logic [ 3:0] at;
    assign at = place[i][3:0];
    assign entry = u_dut.u_queue.u_mem.gen_lut.mem[at];
    assign last_at[i] = entry[LAST_BIT] && 5'(i) < u_dut.queue_depth;
  end
  logic [4:0] in_memory;
  always_comb begin
    in_memory = '0;
    for (int i = 0; i < 16; i++) in_memory += 5'(last_at[i]);
  end
  `KUMI_ASSERT(i_lasts, 6'(in_queue) + 6'(in_memory) == 6'(lasts_q))
  `KUMI_ASSERT(i_pointers, 4'(u_dut.u_queue.wr_q - u_dut.u_queue.rd_q) == u_dut.queue_depth[3:0])
  // How long the word at the head of the queue is held back.
  logic [3:0] held_q, held;
  logic [2:0] oldest;
  assign held = u_dut.out_valid && !m_axis.tvalid ? held_q + 1'b1 : '0;
  always_ff @(posedge clk) held_q <= rst ? '0 : held;
  always_comb begin
    oldest = '0;
    for (int i = 0; i < 4; i++) if (u_dut.u_crc.done_q[i]) oldest = 3'(i + 1);
  end
  `KUMI_ASSERT(a_held, held <= 4'd6)
  `KUMI_ASSERT(i_held, held == '0 || held <= (u_dut.verdict_depth != '0 ? 4'd5 : 4'(oldest)))

  // Of the value that a last word is checked against: there when its CRC is.
  logic [3:0] age_q;  // pushes of the last four cycles are the ones in the CRC's pipeline
  assign age_q = u_dut.u_crc.done_q;
  `KUMI_ASSERT(i_want, !(age_q[1] || age_q[2] || age_q[3]) || u_dut.u_want.m_valid)

  // The rules of the output.
  kumi_axis_props #(
      .CHECK_KEEP(1'b0)
  ) u_props (
      .clk,
      .rst,
      .axis(m_axis)
  );

  `KUMI_COVER(c_good, ev.good)
  `KUMI_COVER(c_cut, ev.truncated)
  `KUMI_COVER(c_hunt, ev.hunt)
  `KUMI_COVER(c_bad, ev.bad)
endmodule
