// SPDX-License-Identifier: Apache-2.0
//
// Payload buffer of the RTP core with a burst reader: the retransmission buffer and the receive
// window are one each.
//
// w_en, w_addr, w_data: one word per cycle.
// start, start_base, start_words (at least 1), start_ready: reads that many words. One more start
//   may be queued, so that bursts follow back to back. Words written in a cycle before the start
//   are seen.
// m_data, m_valid, m_ready: the words. Latency: 2 cycles from start to m_valid (memory and its
//   output register); one word per cycle.
module kumi_eth_rtp_payload_buf #(
    parameter int DATA_W = 256,  // bits of a word
    parameter int DEPTH = 1024,  // words
    parameter int COUNT_W = 11  // bits of start_words
) (
    input  logic                     clk,
    input  logic                     rst,
    input  logic                     w_en,
    input  logic [$clog2(DEPTH)-1:0] w_addr,
    input  logic [       DATA_W-1:0] w_data,
    input  logic                     start,
    output logic                     start_ready,
    input  logic [$clog2(DEPTH)-1:0] start_base,
    input  logic [      COUNT_W-1:0] start_words,
    output logic [       DATA_W-1:0] m_data,
    output logic                     m_valid,
    input  logic                     m_ready
);
  localparam int ADDR_W = $clog2(DEPTH);

  (* ram_style = "block", no_rw_check *) logic [DATA_W-1:0] mem[DEPTH];

  logic [ADDR_W-1:0] addr_q, wait_base_q, addr;
  logic [COUNT_W-1:0] left_q, wait_words_q, left;
  logic wait_q;  // a start waits for the current burst
  logic begins, avail, take;
  logic [DATA_W-1:0] ram_q;
  logic ram_valid_q, ram_en, out_free;

  assign start_ready = !wait_q;
  assign begins      = left_q == '0;
  assign avail       = !begins || start;
  assign addr        = begins ? start_base : addr_q;
  assign left        = begins ? start_words : left_q;
  assign out_free    = !m_valid || m_ready;
  assign ram_en      = !ram_valid_q || out_free;
  assign take        = avail && ram_en;

  always_ff @(posedge clk) begin
    if (w_en) mem[w_addr] <= w_data;
    if (ram_en) ram_q <= mem[addr];
  end

  always_ff @(posedge clk) begin
    if (take) begin
      addr_q <= addr + 1'b1;
      left_q <= left - 1'b1;
    end else if (begins && start) begin
      addr_q <= start_base;
      left_q <= start_words;
    end
    if (take && left == COUNT_W'(1) && wait_q) begin
      addr_q <= wait_base_q;
      left_q <= wait_words_q;
      wait_q <= 1'b0;
    end else if (start && start_ready && !begins) begin
      // After the last word of the current burst it need not wait.
      if (take && left == COUNT_W'(1)) begin
        addr_q <= start_base;
        left_q <= start_words;
      end else begin
        wait_q       <= 1'b1;
        wait_base_q  <= start_base;
        wait_words_q <= start_words;
      end
    end
    if (ram_en) ram_valid_q <= avail;
    if (out_free) begin
      m_data  <= ram_q;
      m_valid <= ram_valid_q;
    end
    if (rst) begin
      left_q      <= '0;
      wait_q      <= 1'b0;
      ram_valid_q <= 1'b0;
      m_valid     <= 1'b0;
    end
  end
endmodule
