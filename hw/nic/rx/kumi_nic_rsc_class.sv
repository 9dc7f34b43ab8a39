// SPDX-License-Identifier: Apache-2.0
//
// Receive segment coalescing: looks at frames as they come, and says which of them can be merged
// (VIRTIO_NET_F_GUEST_TSO4, virtio 1.2, 5.1.6.4; TCP over IPv4).
//
// in_*: beats of frames, one in each cycle with in_valid; there is no back-pressure.
// out: of the frame whose last beat came LATENCY cycles before. able: untagged IPv4 without
//   options, no fragment; TCP with a header of 20 to 32 bytes, payload, and no flags but ACK and
//   PSH. follows: it continues the frame before it: the same headers, except for what differs
//   between two segments that one sender has cut (lengths, identification, checksums, PSH), and the
//   next sequence number. pseudo: see nic_rsc_t.
module kumi_nic_rsc_class
  import kumi_nic_pkg::*;
#(
    parameter  int DATA_W  = 512,  // bits of a beat: 512, so that the headers begin in one
    localparam int LATENCY = 8
) (
    input logic clk,
    input logic rst,
    input logic in_valid,
    input logic in_last,
    input logic [DATA_W-1:0] in_data,
    output nic_rsc_t out
);
  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers begin in one beat (%m)");
  end

  localparam int AT_LENGTH = 16;
  localparam int AT_CSUM = 24;
  localparam int AT_SEQ = 38;
  localparam int AT_OFFSET = 46;
  localparam int AT_FLAGS = 47;
  localparam int AT_OPTIONS = 54;
  localparam logic [7:0] ACK = 8'h10;
  localparam logic [7:0] PSH = 8'h08;

  // Field of two bytes in the order of the wire.
  function automatic logic [15:0] word(input logic [511:0] d, input int at);
    return {d[8*at+:8], d[8*(at+1)+:8]};
  endfunction

  // ---- the headers of this frame and of the one before ----------------------------------------
  // `tail`: what options have in the second beat.
  logic first_q, second_q, begins_q;
  logic [511:0] head_q, before_q;
  logic [15:0] tail_q, tail_before_q;

  always_ff @(posedge clk) begin
    begins_q <= in_valid && first_q;
    if (in_valid) begin
      first_q  <= in_last;
      second_q <= first_q && !in_last;
      if (first_q) begin
        head_q <= in_data;
        before_q <= head_q;
        tail_before_q <= tail_q;
      end
      if (second_q) tail_q <= in_data[15:0];
    end
    if (rst) begin
      first_q  <= 1'b1;
      second_q <= 1'b0;
      begins_q <= 1'b0;
      head_q   <= '0;  // no frame continues that
    end
  end

  // ---- 1: words that have to be the same; the sums --------------------------------------------
  localparam int SAME = 26;
  logic [3:0] offset;
  logic [1:0] options;  // words of them
  logic [SAME-1:0] same_q;
  logic [3:0] fits_q;
  logic [16:0] pay_q, sum_a_q, sum_b_q;
  logic [31:0] seq_q;

  assign offset  = head_q[8*AT_OFFSET+4+:4];
  assign options = {offset[3] || &offset[1:0], !offset[0]};  // of headers of 5 to 8 words

  always_ff @(posedge clk)
    if (begins_q) begin
      for (int i = 0; i < 8; ++i) same_q[i] <= head_q[16*i+:16] == before_q[16*i+:16];
      // flags of IP, time to live, protocol; addresses, ports; acknowledgment
      for (int i = 0; i < 2; ++i) same_q[8+i] <= head_q[16*(10+i)+:16] == before_q[16*(10+i)+:16];
      for (int i = 0; i < 6; ++i) same_q[10+i] <= head_q[16*(13+i)+:16] == before_q[16*(13+i)+:16];
      for (int i = 0; i < 2; ++i) same_q[16+i] <= head_q[16*(21+i)+:16] == before_q[16*(21+i)+:16];
      same_q[18] <= offset == before_q[8*AT_OFFSET+4+:4];
      // window, urgent pointer
      same_q[19] <= head_q[16*24+:16] == before_q[16*24+:16];
      same_q[25] <= head_q[16*26+:16] == before_q[16*26+:16];
      for (int i = 0; i < 5; ++i) begin
        same_q[20+i] <= word(head_q, AT_OPTIONS + 2 * i) == word(before_q, AT_OPTIONS + 2 * i) ||
            32'(options) <= i / 2;
      end
      fits_q[0] <= word(head_q, 12) == 16'h0800 && head_q[119:112] == 8'h45;
      fits_q[1] <= {head_q[165:160], head_q[175:168]} == '0 && head_q[8*23+:8] == 8'd6;
      fits_q[2] <= (head_q[8*AT_FLAGS+:8] & ~PSH) == ACK;
      fits_q[3] <= head_q[8*AT_OFFSET+:4] == '0 && offset >= 4'd5 && offset <= 4'd8;
      pay_q <= 17'(word(head_q, AT_LENGTH)) - 17'(nic_rsc_headers(options));
      seq_q <= {word(head_q, AT_SEQ), word(head_q, AT_SEQ + 2)};
      sum_a_q <= 17'(word(head_q, 26)) + 17'(word(head_q, 28));
      sum_b_q <= 17'(word(head_q, 30)) + 17'(word(head_q, 32));
    end

  // ---- 2 to 4 --------------------------------------------------------------------------------
  logic able2_q, able3_q, same2_q, same3_q, seq_good_q, able_q, head_follows_q;
  logic [2:0] begun_q;  // a frame began 2 to 4 cycles ago
  logic [31:0] seq2_q, next2_q, next_before_q;
  logic [17:0] sum2_q;
  logic [16:0] sum3_q;
  logic [15:0] sum4_q;

  always_ff @(posedge clk) begin
    if (begun_q[0]) begin
      able2_q <= &fits_q && !pay_q[16] && pay_q[15:0] != '0;
      same2_q <= &same_q;
      seq2_q  <= seq_q;
      next2_q <= seq_q + 32'(pay_q[15:0]);
      sum2_q  <= 18'(sum_a_q) + 18'(sum_b_q);
    end
    begun_q <= {begun_q[1:0], begins_q};
    // 3: the frame before was here, and has left the number behind it.
    if (begun_q[1]) begin
      able3_q <= able2_q;
      same3_q <= same2_q;
      seq_good_q <= seq2_q == next_before_q;
      next_before_q <= next2_q;
    end
    // Protocol 6, less 20, which is -14 or 0xfff1.
    if (begun_q[1])
      sum3_q <= 17'(sum2_q[15:0]) + 17'({13'h1ffe, &sum2_q[17:16], ^sum2_q[17:16], !sum2_q[16]});
    // 4
    if (begun_q[2]) begin
      able_q <= able3_q;
      head_follows_q <= same3_q && seq_good_q;
      sum4_q <= sum3_q[15:0] + 16'(sum3_q[16]);
    end
    if (rst) begun_q <= '0;
  end

  // ---- until the others are there ------------------------------------------------------------
  localparam int HEAD_STEPS = LATENCY - 1;  // of what head_q says
  localparam int LATE_STEPS = LATENCY - 5;  // of what is known in step 4
  localparam int RAW_W = 36;
  logic [HEAD_STEPS-1:0][RAW_W-1:0] raw_q;
  logic [LATE_STEPS-1:0][17:0] late_q;
  logic tail_same;

  always_ff @(posedge clk) begin
    raw_q <= {
      raw_q[HEAD_STEPS-2:0],
      {
        tail_q == tail_before_q,
        (head_q[8*AT_FLAGS+:8] & PSH) != '0,
        options,
        word(head_q, AT_LENGTH),
        word(head_q, AT_CSUM)
      }
    };
    late_q <= {late_q[LATE_STEPS-2:0], {able_q, head_follows_q, sum4_q}};
  end
  assign {tail_same, out.push, out.options, out.length, out.csum} = raw_q[HEAD_STEPS-1];
  assign out.able = late_q[LATE_STEPS-1][17];
  assign out.follows = late_q[LATE_STEPS-1][16] && (out.options != 2'd3 || tail_same);
  assign out.pseudo = late_q[LATE_STEPS-1][15:0];

  logic unused;
  assign unused = ^before_q;
endmodule
