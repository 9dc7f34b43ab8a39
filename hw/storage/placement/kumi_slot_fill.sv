// SPDX-License-Identifier: Apache-2.0
//
// Writes a level of a device's slot bitmap to memory: `count` bits that are zero, then ones up to
// the end of the 64-byte line.
//
// start: a pulse with line, the place of the first word in units of 64 bytes, aligned to the size
//   of the level, and count; at least one line is written. done: a pulse, with bad if memory
//   returned an error for any of it.
// m_axi: bursts of one line, several of them not answered yet.
// Latency: a line per 64 bytes of beats, plus that of memory once.
module kumi_slot_fill #(
    parameter int WORD_W  = 64,  // bits that are used of each word of 64
    parameter int COUNT_W = 25,  // bits of a count
    parameter int ADDR_W  = 40   // bits of an address, that of m_axi
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic [ADDR_W-1:6] line,
    input logic [COUNT_W-1:0] count,
    output logic done,
    output logic bad,
    kumi_axi_if.mst_wr m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int BEATS = 512 / DATA_W;
  localparam int LANES = DATA_W / 64;
  localparam int LANE_W = $clog2(LANES);
  localparam int BIT_W = $clog2(WORD_W);
  localparam int WORDS_W = COUNT_W > BIT_W ? COUNT_W - BIT_W : 1;  // of a number of words
  localparam int LINES_W = WORDS_W > 3 ? WORDS_W - 3 : 1;
  localparam int BEAT_W = BEATS == 1 ? 1 : $clog2(BEATS);

  if (DATA_W < 64 || DATA_W > 512 || m_axi.ADDR_W != ADDR_W) begin : gen_check
    $fatal(0, "m_axi must have 64 to 512 bits of data and ADDR_W of address (%m)");
  end

  typedef enum logic [1:0] {
    IDLE,
    LINES,
    SETTLE,
    DONE
  } state_e;
  state_e state_q;
  logic [ADDR_W-1:6] line_q;
  logic [WORDS_W-1:0] left_q;  // words without a one, from the beat on
  logic [LINES_W-1:0] lines_q, last_q;  // lines written, the last one
  logic [BEAT_W-1:0] beat_q;
  logic [WORD_W-1:0] rest_q;  // the word after those without a one
  logic [15:0] open_q;
  logic bad_q, aw_done_q, w_done_q, rest_done_q, aw_go, w_go, last_beat, line_go, many;

  assign aw_go = m_axi.awvalid && m_axi.awready;
  assign w_go = m_axi.wvalid && m_axi.wready;
  assign last_beat = beat_q == BEAT_W'(BEATS - 1);
  assign line_go = (aw_go || aw_done_q) && ((w_go && last_beat) || w_done_q);
  assign many = left_q >> LANE_W != '0;  // all of this beat is without a one

  assign m_axi.awid = '0;
  assign m_axi.awaddr = {line_q | (ADDR_W - 6)'(lines_q), 6'd0};
  assign m_axi.awlen = 8'(BEATS - 1);
  assign m_axi.awsize = 3'($clog2(DATA_W / 8));
  assign m_axi.awburst = 2'b01;
  assign m_axi.awvalid = state_q == LINES && !aw_done_q;
  assign m_axi.wstrb = '1;
  assign m_axi.wlast = last_beat;
  assign m_axi.wvalid = state_q == LINES && !w_done_q;
  assign m_axi.bready = 1'b1;
  logic [7:0] below;  // lanes without a one
  assign below = ~(8'hff << 3'(left_q));
  for (genvar i = 0; i < LANES; i++) begin : gen_lane
    logic free, part;
    assign free = many || below[i];
    assign part = !many && !rest_done_q && 3'(i) == 3'(left_q);
    assign m_axi.wdata[64*i+:64] = free ? '0 : part ? 64'(rest_q) : '1;
  end

  assign done = state_q == DONE;
  assign bad  = bad_q;

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        line_q <= line;
        left_q <= WORDS_W'(count >> BIT_W);
        lines_q <= '0;
        last_q <= count == '0 ? '0 : LINES_W'((count - 1'b1) >> (BIT_W + 3));
        rest_q <= '1 << count[BIT_W-1:0];
        rest_done_q <= 1'b0;
        beat_q <= '0;
        aw_done_q <= 1'b0;
        w_done_q <= 1'b0;
        bad_q <= 1'b0;
        if (start) state_q <= LINES;
      end
      LINES: begin
        if (aw_go) aw_done_q <= 1'b1;
        if (w_go && last_beat) w_done_q <= 1'b1;
        if (w_go) begin
          beat_q <= last_beat ? '0 : beat_q + 1'b1;
          left_q <= many ? left_q - WORDS_W'(LANES) : '0;
          if (!many) rest_done_q <= 1'b1;
        end
        if (line_go) begin
          aw_done_q <= 1'b0;
          w_done_q  <= 1'b0;
          lines_q   <= lines_q + 1'b1;
          if (lines_q == last_q) state_q <= SETTLE;
        end
      end
      SETTLE:  if (open_q == '0) state_q <= DONE;
      default: state_q <= IDLE;  // DONE
    endcase
    if (aw_go != m_axi.bvalid) open_q <= m_axi.bvalid ? open_q - 1'b1 : open_q + 1'b1;
    if (m_axi.bvalid && m_axi.bresp[1]) bad_q <= 1'b1;
    if (rst) begin
      state_q <= IDLE;
      open_q  <= '0;
    end
  end

  logic unused;
  assign unused = ^{below, m_axi.bid, m_axi.bresp[0]};
endmodule
