// SPDX-License-Identifier: Apache-2.0
//
// Control of kumi_inflate: members and blocks in their order, stored blocks, and the symbols that
// kumi_inflate_rows does not find by table.
//
// format: of the next stream, as of its first bits. at: position in the bit buffer
//   (kumi_inflate_bits) whose peek, avail and ended come 2 cycles later; discard: drop what comes;
//   restart: the stream is over, begin again.
// header_*, tables_*: the two parts that read bits themselves; one at a time.
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
    input  logic           [              5:0] header_need,
    output logic                               header_ok,
    input  logic           [              5:0] header_take,
    output logic                               tables_start,
    output logic                               tables_fixed,
    output logic                               tables_cancel,
    input  logic                               tables_done,
    input  gzip_error_e                        tables_error,
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
  localparam int DECODE = 4;  // latency of kumi_inflate_code

  typedef enum logic [4:0] {
    START,       // wait for a stream
    MEMBER,
    HEADER,
    BLOCK,
    STORED_LEN,
    STORED,
    STORED_END,
    TABLES,
    RUN,
    PEEK,        // a symbol that is not in the tables
    DECODING,
    SYMBOL,
    EXTRA,
    RESUME,
    CHECK,
    SIZE,
    NEXT,        // another member?
    FINISH,
    DRAIN
  } state_e;

  state_e state_q, state;
  gzip_format_e format_q;
  gzip_error_e error_q;
  logic [1:0] wait_q;  // cycles until peek is what is at `at`
  logic [6:0] seen_q;  // bits that were there when a symbol was decoded
  logic seen_end_q;  // and no more would come
  logic [2:0] decode_q;
  logic final_q, dist_q, stale_q, settled_q, finished_q, ready, enough, ok, short, short_q;
  logic to_check, token_sent, fault_q;  // fault_q: late_q is an error
  logic [ 5:0] take;
  logic [15:0] left_q;  // bytes of a stored block
  logic [ 4:0] base_q;  // symbol whose extra bits are next
  logic [3:0] extra_bits_q, bits;
  logic [14:0] base, value;
  logic [12:0] mask;
  gzip_error_e error, late, late_q;  // late: ends the stream in the next cycle
  logic token_wanted;

  // Stored bytes are read two cycles after their position was taken.
  logic [1:0][2:0] stored_q;
  logic [2:0] stored, want_q, rest_count_q;
  logic [1:0] rest_q;  // cycles since bytes were taken: after 3 the next three are exact
  logic stored_go, fast, rest, more_q, left_none_q, dry_q;

  assign ready = wait_q == '0;
  assign ok    = ready && enough;
  assign short = ready && !ok && (state_q == SYMBOL ? seen_end_q : ended);

  assign header_ok = ok && state_q == HEADER && !header_start;
  assign tables_ok = ok && state_q == TABLES;
  assign header_format = format_q;

  always_comb begin
    for (int i = 0; i < MAX_CODE_BITS; i++) code[i] = peek[MAX_CODE_BITS-1-i];
    bits  = dist_q ? dist_len : litlen_len;
    base  = dist_q ? dist_base(base_q) : 15'(length_base(base_q));
    mask  = ~(13'h1fff << extra_bits_q);
    value = base + 15'(peek[12:0] & mask);
  end

  // Whether the bits that a state needs are there, and those that it takes then.
  always_comb begin
    enough = 1'b1;
    take   = '0;
    case (state_q)
      START: enough = avail[6:3] != '0;
      NEXT: begin
        enough = avail[6:3] != '0;
        take   = peek[7:0] == '0 ? 6'd8 : '0;  // padding between members
      end
      HEADER:
      if (!header_start) begin
        enough = avail >= 7'(header_need);
        take   = header_take;
      end
      BLOCK: begin
        enough = avail >= 7'd3;
        take   = 6'd3;
      end
      TABLES: begin
        enough = avail >= 7'(tables_need);
        take   = tables_take;
      end
      STORED_LEN, SIZE: begin
        enough = avail[6:5] != '0;
        take   = 6'd32;
      end
      CHECK:
      if (format_q != FORMAT_RAW) begin
        enough = avail[6:5] != '0;
        take   = 6'd32;
      end
      PEEK: enough = avail != '0;
      // An unused code is of one bit, as zlib has it.
      SYMBOL: begin
        enough = seen_q >= 7'(bits);
        take   = 6'(bits);
      end
      EXTRA: begin
        enough = avail >= 7'(extra_bits_q);
        take   = 6'(extra_bits_q);
      end
      default: ;
    endcase
  end

  // Four bytes a cycle while at least 8 of the block were left a cycle ago and there are enough
  // whatever the two cycles before took. Otherwise it rests until the counts are exact; at the end
  // of the input those bytes that are there go out before the error.
  assign fast = more_q && avail[6:5] == '1 && ready;
  assign rest = rest_q == '1;
  assign stored = fast ? 3'd4 : rest_count_q;
  assign stored_go = state_q == STORED && token_ready && (fast || (rest && rest_count_q != '0));

  always_ff @(posedge clk) begin
    more_q <= state_q == STORED && left_q[15:3] != '0;
    left_none_q <= left_q == '0;
    want_q <= left_q[15:2] != '0 ? 3'd4 : {1'b0, left_q[1:0]};
    rest_count_q <= avail[6:3] >= {1'b0, want_q} ? want_q : ended ? {1'b0, avail[4:3]} : 3'd0;
    dry_q <= ended && avail == '0;
    if (state_q != STORED || stored_go) rest_q <= '0;
    else if (!rest) rest_q <= rest_q + 1'b1;
  end

  // ---- tokens ---------------------------------------------------------------------------------
  always_comb begin
    token = '0;
    token_wanted = 1'b0;
    case (state_q)
      MEMBER: begin
        token.kind   = TOKEN_MEMBER;
        token.data   = 32'(format_q);
        token_wanted = 1'b1;
      end
      SYMBOL: begin
        token.count  = 3'd1;
        token.data   = 32'(litlen_sym[7:0]);
        token_wanted = ok && !dist_q && litlen_len != '0 && !litlen_sym[8];
      end
      EXTRA: begin
        token.kind = dist_q ? TOKEN_DIST : TOKEN_DATA;
        token.match = !dist_q;
        token.len = value[7:0];
        token.data = 32'(value);
        token_wanted = ok && !fault_q;
      end
      CHECK: begin
        token.kind = TOKEN_CHECK;
        token.data = format_q == FORMAT_ZLIB ?
            {peek[7:0], peek[15:8], peek[23:16], peek[31:24]} : peek;
        token_wanted = ok && format_q != FORMAT_RAW;
      end
      SIZE: begin
        token.kind   = TOKEN_SIZE;
        token.data   = peek;
        token_wanted = ok;
      end
      FINISH: begin
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
      START: if (ok || (ready && ended)) state = MEMBER;
      MEMBER: if (token_sent) state = format_q == FORMAT_RAW ? BLOCK : HEADER;
      HEADER:
      if (header_done && !header_start) begin
        state = BLOCK;
        if (error == GZIP_OK) error = header_error;
      end
      BLOCK:
      if (ok) begin
        case (peek[2:1])
          BLOCK_STORED: state = STORED_LEN;
          BLOCK_FIXED, BLOCK_DYNAMIC: state = TABLES;
          default: late = GZIP_ERR_BLOCK_TYPE;
        endcase
      end
      STORED_LEN:
      if (ok) begin
        state = STORED;
        if (peek[31:16] != ~peek[15:0]) late = GZIP_ERR_STORED_LEN;
      end
      STORED: if (rest && left_none_q) state = STORED_END;
      STORED_END: if (stored_q == '0) state = final_q ? CHECK : BLOCK;
      TABLES:
      if (tables_done && !tables_start) begin
        state = RESUME;
        if (error == GZIP_OK) error = tables_error;
      end
      RESUME: state = RUN;
      RUN: if (halted && !go) state = PEEK;
      PEEK: if (ok) state = DECODING;
      DECODING: if (decode_q == 3'(DECODE - 2)) state = SYMBOL;
      SYMBOL:
      if (!ok) begin
        state = PEEK;
      end else if (dist_q) begin
        state = EXTRA;
        if (dist_len == '0 || dist_sym >= 5'(DIST_SYMS)) late = GZIP_ERR_DIST_SYMBOL;
      end else if (litlen_len == '0 || litlen_sym >= 9'(LITLEN_SYMS)) begin
        late = GZIP_ERR_LITLEN_SYMBOL;
      end else if (litlen_sym == 9'(END_OF_BLOCK)) begin
        state = final_q ? CHECK : BLOCK;
      end else if (litlen_sym[8]) begin
        state = EXTRA;
      end else if (token_sent) begin
        state = RESUME;
      end
      EXTRA: if (token_sent) state = RESUME;
      CHECK:
      if (format_q == FORMAT_RAW) state = FINISH;
      else if (token_sent) state = format_q == FORMAT_GZIP ? SIZE : FINISH;
      SIZE: if (token_sent) state = NEXT;
      NEXT:
      if (ok) begin
        if (peek[7:0] != '0) state = MEMBER;
      end else if (short_q) begin
        state = FINISH;
      end
      FINISH: if (token_sent) state = DRAIN;
      DRAIN: if (restart) state = START;
      default: state = START;
    endcase
    if (short && state_q != NEXT && state_q != START) late = GZIP_ERR_TRUNCATED;
    if (state_q == STORED && rest && dry_q && !left_none_q) late = GZIP_ERR_TRUNCATED;
    if (error != GZIP_OK) state = FINISH;
    if (failed && state_q != START && state_q != FINISH && state_q != DRAIN) state = FINISH;
  end

  // The trailer begins at a byte.
  assign to_check = final_q && (state_q == STORED_END ? stored_q == '0
      : state_q == SYMBOL && ok && !dist_q && litlen_sym == 9'(END_OF_BLOCK));

  always_ff @(posedge clk) begin
    state_q <= state;
    short_q <= short && state_q == NEXT;
    late_q  <= state == FINISH ? GZIP_OK : late;
    fault_q <= late != GZIP_OK;
    if (wait_q != '0) wait_q <= wait_q - 1'b1;
    decode_q <= state_q == DECODING ? decode_q + 1'b1 : '0;
    header_start <= state_q == MEMBER && state == HEADER;
    tables_start <= state_q == BLOCK && state == TABLES;
    stored_q <= {stored_q[0], 3'd0};
    settled_q <= state_q == FINISH;
    if (state_q == PEEK) begin
      seen_q <= avail;
      seen_end_q <= ended;
    end
    finished_q <= state_q == DRAIN && (finished_q || finished);
    if (error != GZIP_OK) error_q <= error;

    case (state_q)
      START: begin
        error_q  <= GZIP_OK;
        format_q <= format;
      end
      BLOCK:
      if (ok) begin
        final_q <= peek[0];
        tables_fixed <= peek[2:1] == BLOCK_FIXED;
      end
      STORED_LEN: left_q <= peek[15:0];
      RUN: {dist_q, stale_q} <= {halt_dist, halt_stale};
      SYMBOL: begin
        base_q <= dist_q ? dist_sym : 5'(litlen_sym - 9'd257);
        extra_bits_q <= dist_q ? dist_extra(dist_sym) : 4'(length_extra(5'(litlen_sym - 9'd257)));
      end
      EXTRA: if (token_sent) dist_q <= !dist_q;
      TABLES: {dist_q, stale_q} <= 2'b01;
      default: ;
    endcase

    // ---- position
    if ((ok && take != '0 && (!token_wanted || token_ready))) begin
      at <= at + POS_W'(take);
      wait_q <= 2'd2;
    end
    if (state_q == BLOCK && state == STORED_LEN) begin
      at <= (at + POS_W'(10)) & ~POS_W'(7);
    end
    if (to_check) begin
      at <= (at + POS_W'(take) + POS_W'(7)) & ~POS_W'(7);
      wait_q <= 2'd2;
    end
    if (stored_go) begin
      at <= at + POS_W'({stored, 3'b000});
      left_q <= left_q - 16'(stored);
      stored_q[0] <= stored;
    end
    if (state_q == RUN && state == PEEK) begin
      at <= halt_at;
      wait_q <= 2'd2;
    end
    if (rst || restart) begin
      at <= '0;
      wait_q <= 2'd2;
    end
    if (rst) begin
      state_q <= START;
      header_start <= 1'b0;
      tables_start <= 1'b0;
      stored_q <= '0;
    end
  end

  assign go = state_q == RESUME;
  assign go_dist = dist_q;
  assign go_fetch = stale_q;
  assign running = state_q == RUN;
  assign stop = state_q == FINISH || state_q == DRAIN;
  assign tables_cancel = state_q == FINISH;
  assign discard = state_q == DRAIN;
  assign restart = state_q == DRAIN && ended && finished_q;
  assign busy = state_q != START;

  logic unused;
  assign unused = ^peek;
endmodule
