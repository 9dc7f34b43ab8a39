// SPDX-License-Identifier: Apache-2.0
//
// Builds the responses of kumi_http: texts from a ROM, numbers inserted in decimal digits.
//
// start, reply, numbers: build this one; ready high: the last one is complete, `length` bytes of it
//   are in the buffer. Of the body the bytes `first` to `last` are taken. send: release it on
//   m_axis as one frame, a beat a cycle; clear: discard it.
// Building costs 2 cycles per byte and about 40 per number.
module kumi_http_response
  import kumi_http_pkg::*, kumi_http_text_pkg::*;
#(
    parameter int MAX = 1024  // bytes of the longest response, a power of two
) (
    input  logic                                clk,
    input  logic                                rst,
    input  logic                                start,
    input  http_reply_t                         reply,
    input  logic            [NUMBERS-1:0][31:0] numbers,
    input  logic            [       10:0]       first,
    input  logic            [       10:0]       last,
    input  logic                                send,
    input  logic                                clear,
    output logic                                ready,
    output logic            [       15:0]       length,
           kumi_axis_if.src                     m_axis
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int KEEP_W = m_axis.KEEP_W;
  localparam int AT_W = $clog2(TEXT_BYTES + 1);

  // ---- texts ---------------------------------------------------------------------------------
  (* rom_style = "block" *) logic [7:0] text[TEXT_BYTES];
  initial begin
    for (int i = 0; i < TEXT_BYTES; i++) text[i] = TEXT[8*(TEXT_BYTES-1-i)+:8];
  end

  logic [AT_W-1:0] starts[PIECES+1];
  for (genvar i = 0; i <= PIECES; i++) begin : gen_starts
    assign starts[i] = AT_W'(piece_start(i));
  end

  typedef enum logic [3:0] {
    REST,
    CHOOSE,
    PIECE,
    FETCH,
    BYTE,
    CONVERT,
    DIGIT,
    PAD
  } state_e;

  state_e state_q;
  logic [2:0] part_q;
  http_text_e piece, piece_q;
  logic [AT_W-1:0] at_q, end_q;
  logic [7:0] text_q, out;
  logic [39:0] bcd_q, bcd;
  logic [31:0] value_q;
  logic [ 5:0] turn_q;
  logic [10:0] place_q;  // in the body
  logic begun_q, compact_q, body_q, inside_q, emit, put, flush, page, blank;

  assign page = reply.page < PAGE_KERNEL;

  always_comb begin
    case (part_q)
      3'd0: piece = status_text(reply.page, reply.partial);
      3'd1: piece = type_text(reply.page);
      3'd2: piece = page ? TEXT_ACCEPT : reply.encoded ? TEXT_ENCODED : TEXT_NONE;
      3'd3: piece = reply.partial ? TEXT_RANGE : reply.page == PAGE_416 ? TEXT_NO_RANGE : TEXT_NONE;
      3'd4:
      if (reply.page != PAGE_KERNEL) piece = TEXT_LENGTH;
      else piece = reply.chunked ? TEXT_CHUNKED : TEXT_NONE;
      3'd5: piece = reply.close ? TEXT_CLOSE : TEXT_KEEP;
      default: piece = reply.head ? TEXT_NONE : body_text(reply.page);
    endcase
    if (reply.page == PAGE_CONTINUE && part_q != '0) piece = TEXT_NONE;
    // One step of binary to decimal: digits of 5 and more gain 3 before the shift.
    for (int i = 0; i < 10; i++) begin
      bcd[4*i+:4] = bcd_q[4*i+:4] >= 4'd5 ? bcd_q[4*i+:4] + 4'd3 : bcd_q[4*i+:4];
    end
  end

  always_ff @(posedge clk) begin
    text_q   <= text[at_q];
    inside_q <= !body_q || (place_q >= first && place_q <= last);
    case (state_q)
      REST:
      if (start) begin
        part_q  <= '0;
        length  <= '0;
        ready   <= 1'b0;
        state_q <= CHOOSE;
      end
      CHOOSE: begin
        piece_q <= piece;
        body_q  <= part_q == 3'd6;
        place_q <= '0;
        part_q  <= part_q + 1'b1;
        state_q <= PIECE;
        if (piece == TEXT_NONE) state_q <= CHOOSE;
        if (part_q == 3'd7) state_q <= PAD;
      end
      PIECE: begin
        at_q <= starts[piece_q];
        end_q <= starts[piece_q+6'd1];
        state_q <= FETCH;
      end
      FETCH: begin
        at_q <= at_q + 1'b1;
        state_q <= BYTE;
      end
      BYTE: begin
        if (text_q[7]) begin
          if (!text_q[6]) begin  // a number begins
            value_q <= numbers[text_q[3:0]];
            compact_q <= text_q[4];
            bcd_q <= '0;
            turn_q <= '0;
            state_q <= CONVERT;
          end else begin
            state_q <= DIGIT;
          end
        end else begin
          state_q <= at_q == end_q ? CHOOSE : FETCH;
        end
      end
      CONVERT: begin
        {bcd_q, value_q} <= {bcd[38:0], value_q, 1'b0};
        turn_q <= turn_q + 1'b1;
        begun_q <= 1'b0;
        if (turn_q == 6'd31) state_q <= DIGIT;
        if (turn_q == 6'd31) turn_q <= '0;
      end
      DIGIT: begin
        turn_q  <= turn_q + 1'b1;
        begun_q <= !blank;
        bcd_q   <= bcd_q << 4;
        state_q <= at_q == end_q ? CHOOSE : FETCH;
      end
      PAD: begin
        ready   <= 1'b1;
        state_q <= REST;
      end
      default: state_q <= REST;
    endcase
    if (emit) place_q <= place_q + 1'b1;
    if (put) length <= length + 1'b1;
    if (clear) ready <= 1'b0;
    if (rst) begin
      state_q <= REST;
      ready   <= 1'b0;
    end
  end

  assign blank = !begun_q && bcd_q[39:36] == '0 && turn_q != 6'd9;
  assign emit  = (state_q == BYTE && !text_q[7]) || (state_q == DIGIT && !(compact_q && blank));
  assign put   = emit && inside_q;
  assign flush = state_q == PAD;
  assign out   = state_q != DIGIT ? text_q : blank ? " " : {4'h3, bcd_q[39:36]};

  // ---- beats ---------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (m_axis.ID_W),
      .USER_W(m_axis.USER_W),
      .DEST_W(m_axis.DEST_W)
  )
      made (), kept ();
  logic [DATA_W-1:0] beat_q;
  logic [KEEP_W-1:0] keep_q;
  logic [$clog2(MAX/KEEP_W):0] depth;
  logic full, wipe;

  // A beat goes into the buffer when the next byte comes, or at the end.
  assign full = keep_q[KEEP_W-1];
  assign made.tdata = beat_q;
  assign made.tkeep = keep_q;
  assign made.tvalid = (put && full) || flush;
  assign made.tlast = flush;
  assign made.tuser = '0;
  assign made.tid = '0;
  assign made.tdest = '0;
  assign wipe = rst || clear;

  always_ff @(posedge clk) begin
    if (put && !full) begin
      for (int i = 0; i < KEEP_W; i++) begin
        if (!keep_q[i] && (i == 0 || keep_q[(i+KEEP_W-1)%KEEP_W])) beat_q[8*i+:8] <= out;
      end
      keep_q <= {keep_q[KEEP_W-2:0], 1'b1};
    end else if (put) begin
      beat_q <= {{(DATA_W - 8) {1'b0}}, out};
      keep_q <= KEEP_W'(1);
    end
    if (flush || wipe) begin
      keep_q <= '0;
      beat_q <= '0;
    end
  end

  kumi_axis_fifo #(
      .DEPTH(MAX / KEEP_W)
  ) u_fifo (
      .clk,
      .rst(wipe),
      .s_axis(made),
      .m_axis(kept),
      .depth
  );

  assign m_axis.tdata = kept.tdata;
  assign m_axis.tkeep = kept.tkeep;
  assign m_axis.tvalid = kept.tvalid && send;
  assign m_axis.tlast = kept.tlast;
  assign m_axis.tuser = kept.tuser;
  assign m_axis.tid = kept.tid;
  assign m_axis.tdest = kept.tdest;
  assign kept.tready = m_axis.tready && send;

  logic unused;
  assign unused = ^{bcd[39], depth, made.tready};
endmodule
