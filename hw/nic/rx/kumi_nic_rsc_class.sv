// SPDX-License-Identifier: Apache-2.0
//
// Receive segment coalescing: looks at frames as they come, and says which of them can be merged
// (VIRTIO_NET_F_GUEST_TSO4 and _TSO6, virtio 1.2, 5.1.6.4).
//
// in_*: beats of frames, one in each cycle with in_valid; there is no back-pressure.
// out: of the frame whose last beat came LATENCY cycles before. able: untagged IPv4 without
//   options, no fragment, or IPv6 without extension headers; TCP with a header of 20 to 32 bytes,
//   payload, and no flags but ACK and PSH. follows: it continues the frame before it: the same
//   headers, except for what differs between two segments that one sender has cut (lengths,
//   identification, checksums, PSH), and the next sequence number. length, pseudo: see nic_rsc_t.
// A frame of IPv4 is looked at when its first beat is there, one of IPv6, whose TCP header ends in
//   the second, when that is.
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

  localparam logic [7:0] ACK = 8'h10;
  localparam logic [7:0] PSH = 8'h08;
  localparam int TAIL_W = 8 * 22;  // what headers may have in the second beat

  // Field of two bytes in the order of the wire.
  function automatic logic [15:0] word(input logic [511:0] d, input int at);
    return {d[8*at+:8], d[8*(at+1)+:8]};
  endfunction

  // ---- the headers of this frame and of the one before ----------------------------------------
  logic first_q, second_q, begins_q, v6_q;
  logic [511:0] head_q, before_q;
  logic [TAIL_W-1:0] tail_q, tail_before_q;
  logic in_v6;

  assign in_v6 = word(in_data, 12) == 16'h86dd;
  always_ff @(posedge clk) begin
    // A frame of one beat is looked at as well, as the next one is compared with it.
    begins_q <= in_valid && (first_q ? !in_v6 || in_last : second_q && v6_q);
    if (in_valid) begin
      first_q  <= in_last;
      second_q <= first_q && !in_last;
      if (first_q) begin
        v6_q <= in_v6;
        head_q <= in_data;
        before_q <= head_q;
        tail_before_q <= tail_q;
      end
      if (second_q) tail_q <= in_data[TAIL_W-1:0];
    end
    if (rst) begin
      first_q  <= 1'b1;
      second_q <= 1'b0;
      begins_q <= 1'b0;
      head_q   <= '0;  // no frame continues that
    end
  end

  // ---- its fields ------------------------------------------------------------------------------
  logic [ 3:0] offset;
  logic [ 7:0] flags;
  logic [ 1:0] options;  // words of them, of headers of 5 to 8 words
  logic [15:0] length;
  assign offset  = v6_q ? tail_q[8*2+4+:4] : head_q[8*46+4+:4];
  assign flags   = v6_q ? tail_q[8*3+:8] : head_q[8*47+:8];
  assign options = {offset[3] || &offset[1:0], !offset[0]};
  assign length  = v6_q ? word(head_q, 18) : word(head_q, 16);

  // Words of the headers that two segments of a flow have in common, each of two bytes: in the
  // first beat, and in the second.
  function automatic logic [31:0] words(input logic v6);
    for (int i = 0; i < 32; ++i) begin
      // IPv6: not the length, and the sequence number. IPv4: not the length, identification,
      // checksum, sequence number, offset with flags, and TCP's checksum; options are below.
      words[i] = v6 ? i != 9 && i != 29 && i != 30 :
          i < 27 && i != 8 && i != 9 && i != 12 && i != 19 && i != 20 && i != 23 && i != 25;
    end
  endfunction
  localparam logic [31:0] WORDS_V4 = words(1'b0);
  localparam logic [31:0] WORDS_V6 = words(1'b1);
  localparam int TAIL_WORDS = TAIL_W / 16;
  // Acknowledgment, window, urgent pointer; options from the sixth on.
  localparam logic [TAIL_WORDS-1:0] TAIL_V6 = 11'b00000010101;

  // ---- 1: words that have to be the same ------------------------------------------------------
  logic [31:0] same_q;
  logic [TAIL_WORDS-1:0] tail_same_q;
  logic offset_same_q;
  logic [4:0] fits_q;
  logic [16:0] pay_q;
  logic [31:0] seq_q;

  always_ff @(posedge clk)
    if (begins_q) begin
      for (int i = 0; i < 32; ++i) begin
        same_q[i] <= head_q[16*i+:16] == before_q[16*i+:16] || !(v6_q ? WORDS_V6[i] :
            WORDS_V4[i] || (i >= 27 && 32'(options) > (i - 27) / 2));
      end
      for (int i = 0; i < TAIL_WORDS; ++i) begin
        tail_same_q[i] <= tail_q[16*i+:16] == tail_before_q[16*i+:16] || !(v6_q &&
            (TAIL_V6[i] || (i >= 5 && 32'(options) > (i - 5) / 2)));
      end
      offset_same_q <= offset == (v6_q ? tail_before_q[8*2+4+:4] : before_q[8*46+4+:4]);
      fits_q[0] <= v6_q ? head_q[8*14+4+:4] == 4'd6 : word(
          head_q, 12
      ) == 16'h0800 && head_q[119:112] == 8'h45;
      // TCP, and no fragment
      fits_q[1] <= v6_q || {head_q[165:160], head_q[175:168]} == '0;
      fits_q[2] <= (v6_q ? head_q[8*20+:8] : head_q[8*23+:8]) == 8'd6;
      fits_q[3] <= (flags & ~PSH) == ACK;
      fits_q[4] <= (v6_q ? tail_q[8*2+:4] : head_q[8*46+:4]) == '0 && offset >= 4'd5 &&
          offset <= 4'd8;
      pay_q <= 17'(length) - 17'(nic_rsc_headers(v6_q, options));
      seq_q <= v6_q ? {word(head_q, 58), word(head_q, 60)} : {word(head_q, 38), word(head_q, 40)};
    end

  // ---- 2 to 4 --------------------------------------------------------------------------------
  logic able2_q, able3_q, same2_q, same3_q, seq_good_q, able_q, head_follows_q;
  logic [2:0] begun_q;  // a frame began 2 to 4 cycles ago
  logic [31:0] seq2_q, next2_q, next_before_q;

  always_ff @(posedge clk) begin
    if (begun_q[0]) begin
      able2_q <= &fits_q && !pay_q[16] && pay_q[15:0] != '0;
      same2_q <= &same_q && &tail_same_q && offset_same_q;
      seq2_q  <= seq_q;
      next2_q <= seq_q + 32'(pay_q[15:0]);
    end
    begun_q <= {begun_q[1:0], begins_q};
    // 3: the frame before was here, and has left the number behind it.
    if (begun_q[1]) begin
      able3_q <= able2_q;
      same3_q <= same2_q;
      seq_good_q <= seq2_q == next_before_q;
      next_before_q <= next2_q;
    end
    // 4
    if (begun_q[2]) begin
      able_q <= able3_q;
      head_follows_q <= same3_q && seq_good_q;
    end
    if (rst) begun_q <= '0;
  end

  // ---- the pseudo header's sum, beside them ----------------------------------------------------
  logic [7:0][16:0] sum1_q;
  logic [3:0][17:0] sum2_q;
  logic [1:0][18:0] sum3_q;
  logic [19:0] sum4_q;
  logic [16:0] sum5_q;
  logic [15:0] sum6_q, sum7_q;
  logic v6_1_q, v6_2_q, v6_3_q, v6_4_q;

  // Protocol 6, of IPv4 less 20, which is -14 or 0xfff1; and what the sum has above 16 bits.
  function automatic logic [15:0][5:0] constants(input int base);
    for (int i = 0; i < 16; ++i) constants[i] = 6'(base + i);
  endfunction
  localparam logic [15:0][5:0] ABOVE_V4 = constants('h31);
  localparam logic [15:0][5:0] ABOVE_V6 = constants(6);
  logic [15:0] above;
  assign above = v6_4_q ? {10'd0, ABOVE_V6[sum4_q[19:16]]} : {10'h3ff, ABOVE_V4[sum4_q[19:16]]};

  always_ff @(posedge clk) begin
    if (begins_q) begin
      v6_1_q <= v6_q;
      for (int i = 0; i < 8; ++i) begin
        sum1_q[i] <= v6_q ? 17'(word(
            head_q, 22 + 4 * i
        )) + 17'(word(
            head_q, 24 + 4 * i
        )) : 17'(word(
            head_q, i == 0 ? 26 : 30
        )) + 17'(word(
            head_q, i == 0 ? 28 : 32
        ));
        if (i >= 2 && !v6_q) sum1_q[i] <= '0;
      end
    end
    if (begun_q[0]) begin
      v6_2_q <= v6_1_q;
      for (int i = 0; i < 4; ++i) sum2_q[i] <= 18'(sum1_q[2*i]) + 18'(sum1_q[2*i+1]);
    end
    if (begun_q[1]) begin
      v6_3_q <= v6_2_q;
      for (int i = 0; i < 2; ++i) sum3_q[i] <= 19'(sum2_q[2*i]) + 19'(sum2_q[2*i+1]);
    end
    if (begun_q[2]) begin
      v6_4_q <= v6_3_q;
      sum4_q <= 20'(sum3_q[0]) + 20'(sum3_q[1]);
    end
    sum5_q <= 17'(sum4_q[15:0]) + 17'(above);
    sum6_q <= sum5_q[15:0] + 16'(sum5_q[16]);
    sum7_q <= sum6_q;
  end

  // ---- until the others are there ------------------------------------------------------------
  localparam int HEAD_STEPS = LATENCY - 1;  // of what head_q and tail_q say
  localparam int LATE_STEPS = LATENCY - 5;  // of what is known in step 4
  localparam int RAW_W = 37;
  logic [HEAD_STEPS-1:0][RAW_W-1:0] raw_q;
  logic [LATE_STEPS-1:0][1:0] late_q;
  logic tail_same;  // of a header of IPv4 that ends in the second beat

  always_ff @(posedge clk) begin
    raw_q <= {
      raw_q[HEAD_STEPS-2:0],
      {
        tail_q[15:0] == tail_before_q[15:0],
        v6_q,
        (flags & PSH) != '0,
        options,
        length,
        word(head_q, 24)
      }
    };
    late_q <= {late_q[LATE_STEPS-2:0], {able_q, head_follows_q}};
  end
  assign {tail_same, out.v6, out.push, out.options, out.length, out.csum} = raw_q[HEAD_STEPS-1];
  assign out.able = late_q[LATE_STEPS-1][1];
  assign out.follows = late_q[LATE_STEPS-1][0] && (out.v6 || out.options != 2'd3 || tail_same);
  assign out.pseudo = sum7_q;

  logic unused;
  assign unused = ^{before_q, tail_before_q};
endmodule
