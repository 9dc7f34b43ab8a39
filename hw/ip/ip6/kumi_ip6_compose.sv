// SPDX-License-Identifier: Apache-2.0
//
// Writes ICMPv6 messages of neighbour and router discovery (RFC 4861, sections 4.1, 4.3, 4.4), and
// "port unreachable" (RFC 4443, section 3.1).
//
// s_note: what to say. m_head, m_axis: the message with its checksum, 64 bits.
// mac: our own, for the option that says it; a probe has none. Latency 22 cycles.
module kumi_ip6_compose
  import kumi_ip6_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [47:0] mac,
    kumi_rec_if.snk s_note,
    kumi_rec_if.src m_head,
    kumi_axis_if.src m_axis
);
  localparam int WORDS = 7;  // of the longest body
  localparam int SUMMED = WORDS + 5;  // and of the pseudo-header

  typedef enum logic [2:0] {
    IDLE,
    ADD,
    JOIN,
    FOLD,
    HEAD,
    BODY
  } state_e;

  state_e state_q;
  icmp6_note_t note_q;
  logic [WORDS-1:0][63:0] body;  // the first byte on the left
  logic [SUMMED-1:0][63:0] summed;
  logic [2:0] words;
  logic [3:0] at_q;
  logic [3:0][19:0] lane_q;  // sums of each 16 bits of a word
  logic [1:0] joined_q;
  logic [21:0] sum_q;
  logic [15:0] checksum_q;
  logic [63:0] word, word_q;

  always_comb begin
    body = '0;
    unique case (note_q.kind)
      NOTE_PROBE: begin
        body[0] = {8'd135, 56'd0};
        {body[1], body[2]} = note_q.target;
        words = 3'd3;
      end
      NOTE_FIND_ROUTER: begin
        body[0] = {8'd133, 56'd0};
        body[1] = {8'd1, 8'd1, mac};  // the address of the sender
        words   = 3'd2;
      end
      NOTE_UNREACHABLE: begin
        body[0] = {8'd1, 8'd4, 48'd0};
        body[1] = {4'd6, 28'd0, note_q.length, NEXT_UDP, note_q.hops};
        {body[2], body[3]} = note_q.dst;
        {body[4], body[5]} = note_q.src;
        body[6] = note_q.udp;
        words = 3'd7;
      end
      default: begin
        body[0] = {8'd136, 24'd0, 1'b0, note_q.solicited, 1'b1, 29'd0};  // override
        {body[1], body[2]} = note_q.target;
        body[3] = {8'd2, 8'd1, mac};  // the address of the target
        words = 3'd4;
      end
    endcase
    summed = {body, {32'(8 * words), 24'd0, NEXT_ICMP6}, note_q.src, note_q.dst};
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      IDLE: begin
        note_q <= icmp6_note_t'(s_note.data);
        at_q <= '0;
        word_q <= '0;
        lane_q <= '0;
        joined_q <= '0;
        sum_q <= '0;
        if (s_note.valid) state_q <= ADD;
      end
      ADD: begin
        word_q <= summed[at_q];
        for (int i = 0; i < 4; i++) lane_q[i] <= lane_q[i] + 20'(word_q[16*i+:16]);
        at_q <= at_q + 1'b1;
        if (at_q == 4'(SUMMED)) state_q <= JOIN;
      end
      JOIN: begin
        sum_q <= sum_q + 22'(lane_q[joined_q]);
        joined_q <= joined_q + 1'b1;
        if (joined_q == '1) state_q <= FOLD;
      end
      FOLD: begin
        // Twice: the second time adds the carry of the first.
        sum_q <= 22'(sum_q[15:0]) + 22'(sum_q[21:16]);
        joined_q <= joined_q + 1'b1;
        if (joined_q == 2'd1) begin
          checksum_q <= ~(sum_q[15:0] + 16'(sum_q[16]));
          state_q <= HEAD;
        end
        at_q <= '0;
      end
      HEAD: if (m_head.ready) state_q <= BODY;
      BODY: begin
        if (m_axis.tready) begin
          at_q <= at_q + 1'b1;
          if (m_axis.tlast) state_q <= IDLE;
        end
      end
      default: state_q <= IDLE;
    endcase
    if (rst) state_q <= IDLE;
  end

  assign s_note.ready = state_q == IDLE;

  icmp6_tx_t head;
  assign head = '{mac: note_q.mac, src: note_q.src, dst: note_q.dst, length: 16'(8 * words)};
  assign m_head.valid = state_q == HEAD;
  assign m_head.data = head;

  always_comb begin
    word = body[at_q[2:0]];
    if (at_q == '0) word[47:32] = checksum_q;
    for (int b = 0; b < 8; b++) m_axis.tdata[8*b+:8] = word[8*(7-b)+:8];
  end
  assign m_axis.tvalid = state_q == BODY;
  assign m_axis.tkeep = '1;
  assign m_axis.tlast = at_q == 4'(words) - 1'b1;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
endmodule
