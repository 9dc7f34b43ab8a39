// SPDX-License-Identifier: Apache-2.0
//
// Option parser of one TCP header (RFC 9293 3.1, RFC 7323, RFC 2018), one 32-bit word per cycle.
//
// start: loads `bytes` (byte 0 in [7:0]) with `words` words of options, 0..10. Only while done is
//   high.
// done: idle; opts and bad are the result of the last start.
// Options may start at any byte. The last one of a kind counts. No-operation and end-of-list are
// obeyed; unknown kinds, and known kinds with a wrong length, are skipped by their length.
// Bad input: an option shorter than 2 bytes or beyond the header raises bad; it and all after it
//   are ignored.
// Latency: words + 2 cycles from start to done, one more if an MSS option ends the header; 1
//   without options. Bounded for any input.
// Implementation: each word is decoded in advance for an option starting at byte 0, 1, 2 or 3 and
//   for byte 0 being a length, so the step from word to word only selects one of the five, which a
//   register names, one bit each. Values are extracted from the last two words.
module kumi_tcp_rx_opts
  import kumi_tcp_pkg::*;
(
    input  logic              clk,
    input  logic              rst,
    input  logic              start,
    input  logic      [  3:0] words,
    input  logic      [319:0] bytes,
    output logic              done,
    output logic              bad,
    output tcp_opts_t         opts
);
  typedef enum logic [2:0] {
    K_OTHER,
    K_MSS,
    K_WS,
    K_SACK_OK,
    K_TS,
    K_SACK
  } kind_e;

  // Effect of a word, depending on where the next option begins.
  typedef struct packed {
    logic       stop;      // end of the list, or malformed
    logic       bad;       // malformed
    logic       pend;      // the last byte is a kind; its length follows
    kind_e      kind;      // of that option
    logic [5:0] skip;      // bytes after this word that belong to an option
    logic       sack_ok;
    logic       ws;        // a window scale, its value in ws_value
    logic [7:0] ws_value;
    logic       ws_next;   // a window scale, its value is the first byte of the next word
    kind_e      body;      // a value of whole words (MSS: half a one) begins; K_OTHER: none
    logic [1:0] phase;     // at this byte; 0: of the next word
    logic [2:0] blocks;    // of K_SACK
  } step_t;

  function automatic kind_e kind_of(input logic [7:0] k);
    case (k)
      8'd2: return K_MSS;
      8'd3: return K_WS;
      8'd4: return K_SACK_OK;
      8'd5: return K_SACK;
      8'd8: return K_TS;
      default: return K_OTHER;
    endcase
  endfunction

  // Kind of the option's value; K_OTHER: no multi-byte value.
  function automatic kind_e body_of(input kind_e kind, input logic [7:0] len);
    case (kind)
      K_MSS: return len == 8'd4 ? K_MSS : K_OTHER;
      K_TS: return len == 8'd10 ? K_TS : K_OTHER;
      K_SACK: return len[2:0] == 3'd2 && len[7:3] != '0 && len[7:3] <= 5'd4 ? K_SACK : K_OTHER;
      default: return K_OTHER;
    endcase
  endfunction

  function automatic step_t malformed();
    step_t s;
    s = '0;
    s.stop = 1'b1;
    s.bad = 1'b1;
    return s;
  endfunction

  // An option whose length byte leaves `over` bytes for the following words, of which `room`
  // remain.
  function automatic step_t long_one(input kind_e kind, input logic [7:0] len,
                                     input logic [7:0] over, input logic [5:0] room,
                                     input logic [1:0] phase);
    step_t s;
    s = '0;
    if (over > {2'b00, room}) return malformed();
    s.skip   = over[5:0];
    s.body   = body_of(kind, len);
    s.phase  = phase;
    s.blocks = len[5:3];
    return s;
  endfunction

  // ---- words, decoded for every alignment -----------------------------------------------------
  logic [319:0] data_q;
  logic [  3:0] left_q;  // words not yet decoded
  logic [7:0] b0, b1, b2, b3;
  logic [5:0] room;
  step_t at0, at1, at2, at3, atp;
  assign {b3, b2, b1, b0} = data_q[31:0];
  assign room = {left_q - 4'd1, 2'b00};

  always_comb begin
    at3 = '0;
    if (b3 == 8'd0) at3.stop = 1'b1;
    else if (b3 != 8'd1) begin
      if (room == '0) at3 = malformed();
      else begin
        at3.pend = 1'b1;
        at3.kind = kind_of(b3);
      end
    end
  end

  always_comb begin
    if (b2 == 8'd0) begin
      at2 = '0;
      at2.stop = 1'b1;
    end else if (b2 == 8'd1) at2 = at3;
    else if (b3 < 8'd2) at2 = malformed();
    else begin
      at2 = long_one(kind_of(b2), b3, b3 - 8'd2, room, 2'd0);
      at2.sack_ok = kind_of(b2) == K_SACK_OK && b3 == 8'd2;
      at2.ws_next = kind_of(b2) == K_WS && b3 == 8'd3 && !at2.bad;
    end
  end

  always_comb begin
    if (b1 == 8'd0) begin
      at1 = '0;
      at1.stop = 1'b1;
    end else if (b1 == 8'd1) at1 = at2;
    else if (b2 < 8'd2) at1 = malformed();
    else if (b2 == 8'd2) begin
      at1 = at3;
      at1.sack_ok = kind_of(b1) == K_SACK_OK;
    end else begin
      at1 = long_one(kind_of(b1), b2, b2 - 8'd3, room, 2'd3);
      at1.ws = kind_of(b1) == K_WS && b2 == 8'd3;
      at1.ws_value = b3;
    end
  end

  always_comb begin
    if (b0 == 8'd0) begin
      at0 = '0;
      at0.stop = 1'b1;
    end else if (b0 == 8'd1) at0 = at1;
    else if (b1 < 8'd2) at0 = malformed();
    else if (b1 == 8'd2) begin
      at0 = at2;
      at0.sack_ok = at2.sack_ok || kind_of(b0) == K_SACK_OK;
    end else if (b1 == 8'd3) begin
      at0 = at3;
      at0.ws = kind_of(b0) == K_WS;
      at0.ws_value = b2;
    end else at0 = long_one(kind_of(b0), b1, b1 - 8'd4, room, 2'd2);
  end

  // Byte 0 is a length; its kind was the last byte of the previous word.
  logic p_sack_ok, p_ws, p_mss, p_ts, p_sack;
  always_comb begin
    p_sack_ok = b0 == 8'd2;
    p_ws = b0 == 8'd3;
    p_mss = b0 == 8'd4;
    p_ts = 1'b0;
    p_sack = 1'b0;
    if (b0 < 8'd2) atp = malformed();
    else if (b0 == 8'd2) atp = at1;
    else if (b0 == 8'd3) atp = at2;
    else if (b0 == 8'd4) atp = at3;
    else begin
      atp = long_one(K_OTHER, b0, b0 - 8'd5, room, 2'd1);
      p_ts = body_of(K_TS, b0) == K_TS && !atp.bad;
      p_sack = body_of(K_SACK, b0) == K_SACK && !atp.bad;
    end
  end

  step_t at0_q, at1_q, at2_q, at3_q, atp_q;
  logic p_sack_ok_q, p_ws_q, p_mss_q, p_ts_q, p_sack_q;
  logic [31:0] word_q;  // current word
  logic [31:8] last_q;  // previous word
  logic valid_q, end_q, flush_q;

  always_ff @(posedge clk) begin
    at0_q <= at0;
    at1_q <= at1;
    at2_q <= at2;
    at3_q <= at3;
    atp_q <= atp;
    {p_sack_ok_q, p_ws_q, p_mss_q, p_ts_q, p_sack_q} <= {p_sack_ok, p_ws, p_mss, p_ts, p_sack};
    word_q <= data_q[31:0];
    last_q <= word_q[31:8];
    valid_q <= left_q != '0;
    end_q <= left_q == 4'd1;
    data_q <= {32'd0, data_q[319:32]};
    if (left_q != '0) left_q <= left_q - 1'b1;
    if (start) begin
      data_q <= bytes;
      left_q <= words;
    end
    if (rst) begin
      left_q  <= '0;
      valid_q <= 1'b0;
    end
  end

  // ---- step per word --------------------------------------------------------------------------
  logic stop_q, pend_q, ws_next_q, bad_q;
  logic [3:0] at_q;  // an option begins at this byte
  kind_e kind_q;
  logic [5:0] skip_q;
  step_t now;

  function automatic step_t only(input step_t s, input logic yes);
    return yes ? s : step_t'('0);
  endfunction

  always_comb begin
    now = only(at0_q, at_q[0]) | only(at1_q, at_q[1]) | only(at2_q, at_q[2]) |
        only(at3_q, at_q[3]) | only(atp_q, pend_q);
    if (pend_q) begin
      if (p_sack_ok_q && kind_q == K_SACK_OK) now.sack_ok = 1'b1;
      if (p_ws_q && kind_q == K_WS) begin
        now.ws = 1'b1;
        now.ws_value = word_q[15:8];
      end
      if ((p_mss_q && kind_q == K_MSS) || (p_ts_q && kind_q == K_TS)
          || (p_sack_q && kind_q == K_SACK)) begin
        now.body  = kind_q;
        now.phase = 2'd1;
      end
    end
    // Within an option.
    if (!pend_q && at_q == '0 && !stop_q) now.skip = skip_q - 6'd4;
  end

  // ---- values ---------------------------------------------------------------------------------
  kind_e body_q;
  logic [1:0] phase_q;
  logic [2:0] index_q, index_end_q;  // current and last word of the value
  logic body_end;
  logic [31:0] value_le, value;  // four bytes of it
  tcp_opts_t opts_q;

  assign body_end = index_q == index_end_q;
  always_comb begin
    case (phase_q)
      2'd0: value_le = word_q;
      2'd1: value_le = {word_q[7:0], last_q[31:8]};
      2'd2: value_le = {word_q[15:0], last_q[31:16]};
      default: value_le = {word_q[23:0], last_q[31:24]};
    endcase
    value = {value_le[7:0], value_le[15:8], value_le[23:16], value_le[31:24]};
  end

  function automatic logic [3:0] scale(input logic [7:0] v);
    return v > 8'd14 ? 4'd14 : v[3:0];  // RFC 7323 2.3: larger ones count as 14
  endfunction

  // A value ends with the header at the latest, but an MSS in the last word takes one more step.
  logic more, flush;
  assign flush = valid_q && end_q && more;
  assign more  = now.body != K_OTHER || (body_q != K_OTHER && !body_end);

  always_ff @(posedge clk) begin
    flush_q <= flush;
    done <= start ? words == '0 : left_q == '0 && !flush;
    if (valid_q || flush_q) begin
      if (body_q != K_OTHER) begin
        index_q <= index_q + 1'b1;
        if (body_end) body_q <= K_OTHER;
        case (body_q)
          K_MSS: opts_q.mss <= value[31:16];
          K_TS:
          if (index_q[0]) opts_q.ts_ecr <= value;
          else opts_q.ts_val <= value;
          default:
          if (index_q[0]) opts_q.sack[index_q[2:1]].right <= value;
          else opts_q.sack[index_q[2:1]].left <= value;
        endcase
      end
    end
    if (valid_q) begin
      skip_q <= now.skip;
      pend_q <= now.pend;
      for (int i = 0; i < 4; i++) begin
        at_q[i] <= !now.pend && !now.stop && !stop_q && now.skip == 6'(i);
      end
      kind_q <= now.kind;
      ws_next_q <= now.ws_next;
      if (now.stop) stop_q <= 1'b1;
      if (now.bad) bad_q <= 1'b1;
      if (now.sack_ok) opts_q.sack_ok <= 1'b1;
      if (ws_next_q) begin
        opts_q.ws_valid <= 1'b1;
        opts_q.ws <= scale(word_q[7:0]);
      end
      if (now.ws) begin
        opts_q.ws_valid <= 1'b1;
        opts_q.ws <= scale(now.ws_value);
      end
      if (now.body != K_OTHER) begin
        body_q  <= now.body;
        phase_q <= now.phase;
        index_q <= '0;
        case (now.body)
          K_MSS: begin
            opts_q.mss_valid <= 1'b1;
            index_end_q <= 3'd0;
          end
          K_TS: begin
            opts_q.ts_valid <= 1'b1;
            index_end_q <= 3'd1;
          end
          default: begin
            opts_q.sacks <= now.blocks;
            index_end_q  <= {now.blocks[1:0] - 2'd1, 1'b1};
          end
        endcase
      end
    end
    if (start || rst) begin
      skip_q <= '0;
      pend_q <= 1'b0;
      at_q <= 4'b0001;
      stop_q <= 1'b0;
      bad_q <= 1'b0;
      ws_next_q <= 1'b0;
      body_q <= K_OTHER;
      opts_q <= '0;
      flush_q <= 1'b0;
    end
    if (rst) done <= 1'b1;
  end

  assign bad  = bad_q;
  assign opts = opts_q;
endmodule
