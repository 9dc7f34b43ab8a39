// SPDX-License-Identifier: Apache-2.0
//
// Control of kumi_inflate: members and blocks in their order, stored blocks, and the symbols that
// kumi_inflate_rows does not find by table.
//
// format: of the next stream, as of its first bits. at: position in the bit buffer
//   (kumi_inflate_position; kumi_inflate_bits), whose peek, avail and ended come 2 cycles later;
//   discard: drop what comes;
//   restart: the stream is over, begin again.
// header_*, tables_*: the two parts that read bits themselves; one at a time. *_ask: `need` bits
//   are wanted; *_ok: they are there, and `take` of them are taken.
// go.., stop, halt..: kumi_inflate_rows, which owns the buffer's position while running is high.
// token: to be passed on, in each cycle with token_valid; none while rows may find symbols.
//   token_ready: there is space for this one and 4 more.
// failed: the data were found wrong further on: end the stream. finished: TOKEN_END has arrived
//   there.
// Every stream ends with one TOKEN_END: after the last member, or with the first error; what is
// left of the input frame is then dropped. Each state takes bits, or counts, or waits for input or
// for an output that moves.
module kumi_inflate_ctrl
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int POS_W = 12  // bits of a position
) (
    input  logic                               clk,
    input  logic                               rst,
    input  gzip_format_e                       format,
    output logic           [        POS_W-1:0] at,
    input  logic           [             31:0] peek,
    input  logic           [              6:0] avail,
    input  logic                               ended,
    output logic                               discard,
    output logic                               restart,
    output logic                               header_start,
    output gzip_format_e                       header_format,
    input  logic                               header_done,
    input  gzip_error_e                        header_error,
    input  logic                               header_ask,
    input  logic           [              5:0] header_need,
    output logic                               header_ok,
    input  logic           [              5:0] header_take,
    output logic                               tables_start,
    output logic                               tables_fixed,
    output logic                               tables_cancel,
    input  logic                               tables_done,
    input  gzip_error_e                        tables_error,
    input  logic                               tables_ask,
    input  logic           [              5:0] tables_need,
    output logic                               tables_ok,
    input  logic           [              5:0] tables_take,
    output logic           [MAX_CODE_BITS-1:0] code,
    input  logic           [              3:0] litlen_len,
    input  logic           [              8:0] litlen_sym,
    input  logic           [              3:0] dist_len,
    input  logic           [              4:0] dist_sym,
    output logic                               go,
    output logic                               go_dist,
    output logic                               go_fetch,
    output logic                               stop,
    output logic                               running,
    input  logic                               halted,
    input  logic                               halt_stale,
    input  logic                               halt_dist,
    input  logic           [        POS_W-1:0] halt_at,
    output inflate_token_t                     token,
    output logic                               token_valid,
    input  logic                               token_ready,
    input  logic                               failed,
    input  logic                               finished,
    output logic                               busy
);
  localparam int DECODE = 5;  // latency of kumi_inflate_code

  inflate_state_e state_q, state;
  gzip_format_e format_q;
  gzip_error_e error_q;
  logic [2:0] decode_q;
  logic final_q, dist_q, stale_q, settled_q, finished_q, ready, still, ok, short, short_q;
  logic last_symbol, token_sent, fault_q;  // fault_q: late_q is an error
  logic [15:0] left_q;  // bytes of a stored block
  logic [ 4:0] base_q;  // symbol whose extra bits are next
  logic [3:0] extra_bits_q, bits;
  logic [14:0] base_val_q, value;
  logic [12:0] mask_q;
  gzip_error_e error, late, late_q;  // late: ends the stream in the next cycle
  logic token_wanted;

  // Stored bytes are read two cycles after their position was taken.
  logic [1:0][2:0] stored_q;
  logic [2:0] stored, want_q, rest_count_q;
  logic [1:0] rest_q;  // cycles since bytes were taken: after 3 the next three are exact
  logic stored_go, fast, rest, more_q, left_none_q, dry_q;

  assign header_format = format_q;

  always_comb begin
    for (int i = 0; i < MAX_CODE_BITS; i++) code[i] = peek[MAX_CODE_BITS-1-i];
    bits  = dist_q ? dist_len : litlen_len;
    value = base_val_q + 15'(peek[12:0] & mask_q);
  end

  // Of a symbol with extra bits, at the latest when peek shows them.
  always_ff @(posedge clk) begin
    base_val_q <= dist_q ? dist_base(base_q) : 15'(length_base(base_q));
    mask_q <= ~(13'h1fff << extra_bits_q);
  end

  // ---- bits -----------------------------------------------------------------------------------
  // The trailer of the member follows.
  assign last_symbol = final_q && state_q == AT_SYMBOL && ok && !dist_q
      && litlen_sym == 9'(END_OF_BLOCK);

  kumi_inflate_position #(
      .POS_W(POS_W)
  ) u_position (
      .clk,
      .rst,
      .restart,
      .state(state_q),
      .raw(format_q == FORMAT_RAW),
      .peek,
      .avail,
      .ended,
      .header_ask(header_ask && !header_start),
      .header_need,
      .header_take,
      .tables_ask,
      .tables_need,
      .tables_take,
      .symbol_bits(bits),
      .extra_bits(extra_bits_q),
      .stored,
      .stored_go,
      .last_symbol,
      .halt_at,
      .token_sent,
      .token_stall(token_wanted && !token_ready),
      .at,
      .ready,
      .still,
      .ok,
      .short,
      .header_ok,
      .tables_ok
  );

  // Four bytes a cycle while at least 8 of the block were left a cycle ago and there are enough
  // whatever the two cycles before took. Otherwise it rests until the counts are exact; at the end
  // of the input those bytes that are there go out before the error.
  assign fast = more_q && avail[6:5] == '1 && ready;
  assign rest = rest_q == '1;
  assign stored = fast ? 3'd4 : rest_count_q;
  assign stored_go = state_q == AT_STORED && token_ready && (fast || (rest && rest_count_q != '0));

  always_ff @(posedge clk) begin
    more_q <= state_q == AT_STORED && left_q[15:3] != '0;
    left_none_q <= left_q == '0;
    want_q <= left_q[15:2] != '0 ? 3'd4 : {1'b0, left_q[1:0]};
    rest_count_q <= avail[6:3] >= {1'b0, want_q} ? want_q : ended ? {1'b0, avail[4:3]} : 3'd0;
    dry_q <= ended && avail == '0;
    if (state_q != AT_STORED || stored_go) rest_q <= '0;
    else if (!rest) rest_q <= rest_q + 1'b1;
  end

  // ---- tokens ---------------------------------------------------------------------------------
  always_comb begin
    token = '0;
    token_wanted = 1'b0;
    case (state_q)
      AT_MEMBER: begin
        token.kind   = TOKEN_MEMBER;
        token.data   = 32'(format_q);
        token_wanted = 1'b1;
      end
      AT_SYMBOL: begin
        token.count  = 3'd1;
        token.data   = 32'(litlen_sym[7:0]);
        token_wanted = ok && !dist_q && litlen_len != '0 && !litlen_sym[8];
      end
      AT_EXTRA: begin
        token.kind = dist_q ? TOKEN_DIST : TOKEN_DATA;
        token.match = !dist_q;
        token.len = value[7:0];
        token.data = 32'(value);
        token_wanted = ok && !fault_q;
      end
      AT_CHECK: begin
        token.kind = TOKEN_CHECK;
        token.data = format_q == FORMAT_ZLIB ?
            {peek[7:0], peek[15:8], peek[23:16], peek[31:24]} : peek;
        token_wanted = ok && format_q != FORMAT_RAW;
      end
      AT_SIZE: begin
        token.kind   = TOKEN_SIZE;
        token.data   = peek;
        token_wanted = ok;
      end
      AT_FINISH: begin
        token.kind   = TOKEN_END;
        token.data   = 32'(error_q);
        token_wanted = settled_q;
      end
      default: begin
        token.count = stored_q[1];
        token.data  = peek;
      end
    endcase
  end
  assign token_sent  = token_wanted && token_ready;
  assign token_valid = token_sent || stored_q[1] != '0;

  // ---- next state -----------------------------------------------------------------------------
  always_comb begin
    state = state_q;
    error = late_q;
    late  = GZIP_OK;
    case (state_q)
      AT_START: if (ok || (still && ended)) state = AT_MEMBER;
      AT_MEMBER: if (token_sent) state = format_q == FORMAT_RAW ? AT_BLOCK : AT_HEADER;
      AT_HEADER:
      if (header_done && !header_start) begin
        state = AT_BLOCK;
        if (error == GZIP_OK) error = header_error;
      end
      AT_BLOCK:
      if (ok) begin
        case (peek[2:1])
          BLOCK_STORED: state = AT_STORED_LEN;
          BLOCK_FIXED, BLOCK_DYNAMIC: state = AT_TABLES;
          default: late = GZIP_ERR_BLOCK_TYPE;
        endcase
      end
      AT_STORED_LEN:
      if (ok) begin
        state = AT_STORED;
        if (peek[31:16] != ~peek[15:0]) late = GZIP_ERR_STORED_LEN;
      end
      AT_STORED: if (rest && left_none_q) state = AT_STORED_END;
      AT_STORED_END: if (stored_q == '0) state = final_q ? AT_CHECK : AT_BLOCK;
      AT_TABLES:
      if (tables_done && !tables_start) begin
        state = AT_RESUME;
        if (error == GZIP_OK) error = tables_error;
      end
      AT_RESUME: state = AT_RUN;
      AT_RUN: if (halted && !go) state = AT_PEEK;
      AT_PEEK: if (ok) state = AT_DECODING;
      AT_DECODING: if (decode_q == 3'(DECODE - 2)) state = AT_SYMBOL;
      AT_SYMBOL:
      if (!ok) begin
        if (still) state = AT_PEEK;
      end else if (dist_q) begin
        state = AT_EXTRA;
        if (dist_len == '0 || dist_sym >= 5'(DIST_SYMS)) late = GZIP_ERR_DIST_SYMBOL;
      end else if (litlen_len == '0 || litlen_sym >= 9'(LITLEN_SYMS)) begin
        late = GZIP_ERR_LITLEN_SYMBOL;
      end else if (litlen_sym == 9'(END_OF_BLOCK)) begin
        state = final_q ? AT_CHECK : AT_BLOCK;
      end else if (litlen_sym[8]) begin
        state = AT_EXTRA;
      end else if (token_sent) begin
        state = AT_RESUME;
      end
      AT_EXTRA: if (token_sent) state = AT_RESUME;
      AT_CHECK:
      if (format_q == FORMAT_RAW) state = AT_FINISH;
      else if (token_sent) state = format_q == FORMAT_GZIP ? AT_SIZE : AT_FINISH;
      AT_SIZE: if (token_sent) state = AT_NEXT;
      AT_NEXT:
      if (ok) begin
        if (peek[7:0] != '0) state = AT_MEMBER;
      end else if (short_q) begin
        state = AT_FINISH;
      end
      AT_FINISH: if (token_sent) state = AT_DRAIN;
      AT_DRAIN: if (restart) state = AT_START;
      default: state = AT_START;
    endcase
    if (short && state_q != AT_NEXT && state_q != AT_START) late = GZIP_ERR_TRUNCATED;
    if (state_q == AT_STORED && rest && dry_q && !left_none_q) late = GZIP_ERR_TRUNCATED;
    if (error != GZIP_OK) state = AT_FINISH;
    if (failed && state_q != AT_START && state_q != AT_FINISH && state_q != AT_DRAIN)
      state = AT_FINISH;
  end

  always_ff @(posedge clk) begin
    state_q <= state;
    short_q <= short && state_q == AT_NEXT;
    late_q <= fault_q || state_q == AT_FINISH ? GZIP_OK : late;
    fault_q <= late != GZIP_OK && !fault_q && state_q != AT_FINISH;
    decode_q <= state_q == AT_DECODING ? decode_q + 1'b1 : '0;
    header_start <= state_q == AT_MEMBER && token_sent && format_q != FORMAT_RAW;
    tables_start <= state_q == AT_BLOCK && ok && peek[2] != peek[1];
    stored_q <= {stored_q[0], 3'd0};
    settled_q <= state_q == AT_FINISH;
    finished_q <= state_q == AT_DRAIN && (finished_q || finished);
    if (error != GZIP_OK) error_q <= error;

    case (state_q)
      AT_START: begin
        error_q  <= GZIP_OK;
        format_q <= format;
      end
      AT_BLOCK:
      if (ok) begin
        final_q <= peek[0];
        tables_fixed <= peek[2:1] == BLOCK_FIXED;
      end
      AT_STORED_LEN: left_q <= peek[15:0];
      AT_RUN: {dist_q, stale_q} <= {halt_dist, halt_stale};
      AT_SYMBOL: begin
        base_q <= dist_q ? dist_sym : 5'(litlen_sym - 9'd257);
        extra_bits_q <= dist_q ? dist_extra(dist_sym) : 4'(length_extra(5'(litlen_sym - 9'd257)));
      end
      AT_EXTRA: if (token_sent) dist_q <= !dist_q;
      AT_TABLES: {dist_q, stale_q} <= 2'b01;
      default: ;
    endcase

    if (stored_go) begin
      left_q <= left_q - 16'(stored);
      stored_q[0] <= stored;
    end
    if (rst) begin
      state_q <= AT_START;
      header_start <= 1'b0;
      tables_start <= 1'b0;
      stored_q <= '0;
    end
  end

  assign go = state_q == AT_RESUME;
  assign go_dist = dist_q;
  assign go_fetch = stale_q;
  assign running = state_q == AT_RUN;
  assign stop = state_q == AT_FINISH || state_q == AT_DRAIN;
  assign tables_cancel = state_q == AT_FINISH;
  assign discard = state_q == AT_DRAIN;
  assign restart = state_q == AT_DRAIN && ended && finished_q;
  assign busy = state_q != AT_START;

  logic unused;
  assign unused = ^peek;
endmodule
