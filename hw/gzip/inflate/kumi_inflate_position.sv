// SPDX-License-Identifier: Apache-2.0
//
// Position of kumi_inflate_ctrl in the stream: which bits a state asks for, whether they are there,
// and where the next ones are.
//
// state: what is read now. at: position in the bit buffer (kumi_inflate_bits) whose peek, avail and
//   ended come 2 cycles later. restart: position 0 again. halt_at: where kumi_inflate_rows is.
// ready: peek shows what is at `at`; still: it did so a cycle ago already, in the same state.
// ok: the bits of this state are there, and are taken in this cycle, unless the state sends a token
//   with them: with token_sent, or not while token_stall is high. short: they are not, and no more
//   will come. header_ok, tables_ok: ok for the parts that read bits themselves.
// Latency: from bits taken to ok of the next 3 cycles, 4 for kumi_inflate_tables, which looks at
//   peek for a cycle; with fewer than 32 bits at hand one more.
module kumi_inflate_position
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int POS_W = 12  // bits of a position
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       restart,
    input  inflate_state_e             state,
    input  logic                       raw,          // no wrapper, so no checksum
    input  logic           [     31:0] peek,
    input  logic           [      6:0] avail,
    input  logic                       ended,
    input  logic                       header_ask,
    input  logic           [      5:0] header_need,
    input  logic           [      5:0] header_take,
    input  logic                       tables_ask,
    input  logic           [      5:0] tables_need,
    input  logic           [      5:0] tables_take,
    input  logic           [      3:0] symbol_bits,
    input  logic           [      3:0] extra_bits,
    input  logic           [      2:0] stored,       // bytes of a stored block
    input  logic                       stored_go,    // are taken
    input  logic                       last_symbol,  // the end of the last block
    input  logic           [POS_W-1:0] halt_at,
    input  logic                       token_sent,
    input  logic                       token_stall,
    output logic           [POS_W-1:0] at,
    output logic                       ready,
    output logic                       still,
    output logic                       ok,
    output logic                       short,
    output logic                       header_ok,
    output logic                       tables_ok
);
  inflate_state_e last_q;  // state a cycle ago
  logic ask, enough, plenty, enough_q, lacking_q, ready_q, move, align_q;
  logic [1:0] wait_q;  // cycles until peek is what is at `at`, and for the tables one more
  logic [1:0] ended_q;
  logic [6:0] avail_q;  // for the tables
  logic [6:0] seen_q;  // bits that were there when a symbol was decoded
  logic seen_end_q;  // and no more would come
  logic [5:0] take;
  logic [POS_W-1:0] sum, part_sum;

  // ---- bits -----------------------------------------------------------------------------------
  // Which bits a state asks for, and those that it takes when they are there.
  always_comb begin
    ask = 1'b1;
    enough = avail[6:3] != '0;
    take = '0;
    case (state)
      AT_START: ;
      AT_NEXT:  take = peek[7:0] == '0 ? 6'd8 : '0;  // padding between members
      AT_HEADER: begin
        ask = header_ask;
        enough = avail >= 7'(header_need);
      end
      AT_BLOCK: begin
        enough = avail >= 7'd3;
        take   = 6'd3;
      end
      AT_TABLES: begin
        ask = tables_ask;
        enough = avail_q >= 7'(tables_need);
      end
      AT_STORED_LEN, AT_SIZE: begin
        enough = avail[6:5] != '0;
        take   = 6'd32;
      end
      AT_CHECK: begin
        ask = !raw;
        enough = avail[6:5] != '0;
        take = !raw ? 6'd32 : '0;
      end
      AT_PEEK:  enough = avail != '0;
      // An unused code is of one bit, as zlib has it.
      AT_SYMBOL: begin
        enough = seen_q >= 7'(symbol_bits);
        take   = 6'(symbol_bits);
      end
      AT_EXTRA: begin
        enough = avail >= 7'(extra_bits);
        take   = 6'(extra_bits);
      end
      AT_STORED: begin
        ask  = 1'b0;
        take = {stored, 3'b000};
      end
      default:  ask = 1'b0;
    endcase
  end

  // No state asks for more than 32 bits. With fewer at hand, which is at the end of a stream or
  // while input is awaited, they are counted, as of the cycle before, in the same state.
  always_comb begin
    case (state)
      AT_SYMBOL: plenty = seen_q[6:5] != '0;
      AT_TABLES: plenty = avail_q[6:5] != '0;
      default:   plenty = avail[6:5] != '0;
    endcase
  end
  assign ready = wait_q == '0;
  assign still = ready && ready_q && last_q == state;
  assign ok    = ready && (plenty || (still && enough_q));
  assign short = still && !plenty && lacking_q && (state == AT_SYMBOL ? seen_end_q : ended_q[1]);

  always_ff @(posedge clk) begin
    last_q <= state;
    if (state == AT_PEEK) begin
      seen_q <= avail;
      seen_end_q <= ended;
    end
    ready_q   <= ready;
    avail_q   <= avail;
    ended_q   <= {ended_q[0], ended};  // when the bits that are counted were all
    enough_q  <= ask && enough;
    lacking_q <= ask && !enough;
    if (rst) ready_q <= 1'b0;
  end

  assign header_ok = ok && state == AT_HEADER && header_ask;
  assign tables_ok = ok && state == AT_TABLES && tables_ask;

  // ---- position -------------------------------------------------------------------------------
  assign sum = at + POS_W'(take);
  assign part_sum = at + POS_W'(state == AT_TABLES ? tables_take : header_take);

  always_comb begin
    case (state)
      AT_STORED: move = stored_go;
      AT_EXTRA, AT_CHECK, AT_SIZE: move = token_sent;
      AT_SYMBOL: move = ok && !token_stall;
      AT_HEADER: move = header_ok;
      AT_TABLES: move = tables_ok;
      AT_START, AT_BLOCK, AT_STORED_LEN, AT_NEXT: move = ok;
      default: move = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    // A stored block and the trailer begin at a byte: a cycle later than their state.
    align_q <= last_symbol || (state == AT_BLOCK && ok && peek[2:1] == BLOCK_STORED);
    if (wait_q != '0) wait_q <= wait_q - 1'b1;
    if (move && state != AT_STORED) begin
      wait_q <= state == AT_TABLES || state == AT_BLOCK ? 2'd3 : 2'd2;
    end
    if (align_q || state == AT_STORED_END) wait_q <= 2'd2;
    if (state == AT_RUN) begin
      at <= halt_at;
      wait_q <= 2'd2;
    end else if (align_q) begin
      at <= (at + POS_W'(7)) & ~POS_W'(7);
    end else if (move) begin
      at <= state == AT_TABLES || state == AT_HEADER ? part_sum : sum;
    end
    if (rst || restart) begin
      at <= '0;
      wait_q <= 2'd2;
    end
    if (rst) align_q <= 1'b0;
  end

  logic unused;
  assign unused = ^peek;
endmodule
