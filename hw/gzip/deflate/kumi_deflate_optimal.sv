// SPDX-License-Identifier: Apache-2.0
//
// Optimal parse of a segment: for each position the cheapest way to the segment's end begins with a
// literal, or with so many bytes of the match that was found there.
//
// s_*: positions, the last one first; s_first with the first that comes, s_last with the last. A
//   segment may begin with an item that has no byte. m_*: what begins at each position, in the same
//   order; m_last as s_last.
// Throughput a position a cycle, latency MAX_LEN + 4 cycles; what is under way needs no further
// positions to come out.
//
// A literal costs LITERAL bits, a match MATCH and the extra bits of its length and distance: fixed
// costs, since those of the block's code are known only after the choice. A match that goes on at
// the next position with the same distance is as long as that one, and 1 (up to 258); longer than
// MAX_LEN it is always taken, as a whole, and costs nothing, since the next position has paid it.
//
// How: let cost(p) be that of the bytes from p to the end. When it is known, every position p - l
// may compare it with what it has from longer matches; so a chain of MAX_LEN - 2 positions, one for
// each l, compares with one register, cost_q. Costs are compared modulo 2**COST_W: over MAX_LEN
// positions they differ by less than half of that. They go on from one segment to the next, where
// no match reaches.
module kumi_deflate_optimal
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
#(
    parameter int MAX_LEN = 16  // of a match as it was found: 16, 32 or 64
) (
    input  logic            clk,
    input  logic            rst,
    input  deflate_match_t  s_match,
    input  logic            s_has_byte,
    input  logic            s_first,
    input  logic            s_last,
    input  logic            s_valid,
    output logic            s_ready,
    output deflate_choice_t m_choice,
    output logic            m_last,
    output logic            m_valid,
    input  logic            m_ready
);
  localparam int LITERAL = 7;
  localparam int MATCH = 10;
  localparam int COST_W = MAX_LEN == 64 ? 10 : 9;
  localparam int LEN_W = $clog2(MAX_LEN + 1);

  if (MAX_LEN != 16 && MAX_LEN != 32 && MAX_LEN != 64) begin : gen_check
    $fatal(0, "MAX_LEN must be 16, 32 or 64 (%m)");
  end

  typedef logic [COST_W-1:0] parse_cost_t;

  // Between segments it goes on without input, so that the last positions come out.
  logic between_q, free, step;
  assign free = !m_valid || m_ready;
  assign s_ready = free;
  assign step = free && (s_valid || between_q);

  // Stage 1: how many bytes are left, up to MAX_LEN; whether the position after has the same
  // distance. Stage 2: length within the segment.
  deflate_match_t one_q;
  logic [LEN_W-1:0] left_q, length_q;
  logic same_1_q, same_2_q;
  logic [ 7:0] data_2_q;
  logic [14:0] dist1_2_q;
  logic [2:1] has_q, last_q, valid_q;
  always_ff @(posedge clk) begin
    if (step) begin
      between_q <= !s_valid || s_last;
      one_q <= s_match;
      left_q <= s_first ? LEN_W'(s_has_byte) : left_q == LEN_W'(MAX_LEN) ? left_q : left_q + 1'b1;
      same_1_q <= !s_first && s_match.length != '0 && s_match.dist1 == one_q.dist1;
      length_q <= one_q.length > $bits(one_q.length)'(left_q) ? left_q : LEN_W'(one_q.length);
      same_2_q <= same_1_q;
      data_2_q <= one_q.data;
      dist1_2_q <= one_q.dist1;
      has_q <= {has_q[1], s_has_byte};
      last_q <= {last_q[1], s_last};
      valid_q <= {valid_q[1], s_valid};
    end
    if (rst) begin
      between_q <= 1'b1;
      valid_q   <= '0;
    end
  end

  // Stage 3: the whole length, 0 if there is no match.
  typedef struct packed {
    logic        has_byte;
    logic        last;
    logic [7:0]  data;
    logic [14:0] dist1;
    logic [3:0]  extra;     // bits of the distance
  } optimal_item_t;
  optimal_item_t item_3_q;
  logic valid_3_q;
  logic [8:0] whole_q;
  logic goes_on;
  assign goes_on = same_2_q && whole_q >= 9'(length_q);
  always_ff @(posedge clk) begin
    if (step) begin
      if (goes_on) whole_q <= whole_q + 9'(whole_q != 9'(MAX_MATCH));
      else whole_q <= length_q < LEN_W'(MIN_MATCH) ? '0 : 9'(length_q);
      item_3_q <= '{
          has_byte: has_q[2],
          last: last_q[2],
          data: data_2_q,
          dist1: dist1_2_q,
          extra: dist_extra(dist_symbol(dist1_2_q))
      };
    end
  end

  // Positions that wait for costs: [l] lies l - 1 before the one whose cost is found in this step.
  typedef struct packed {
    logic          taken;  // a match longer than MAX_LEN
    logic [7:0]    len3;   // of it
    optimal_item_t item;
  } optimal_late_t;
  typedef struct packed {
    logic [LEN_W-1:0] length;  // of the match, 0 if there is none or it is longer
    logic             some;    // cost and len3 are the best of some lengths
    parse_cost_t      cost;
    logic [LEN_W-1:0] len3;
  } optimal_chain_t;
  optimal_late_t [MAX_LEN:1] late_q;
  optimal_chain_t [MAX_LEN:2] chain_q;
  logic [MAX_LEN:1] late_valid_q;
  parse_cost_t cost_q;  // of the position after the one that is computed

  logic long;
  assign long = whole_q > 9'(MAX_LEN);
  always_ff @(posedge clk) begin
    if (step) begin
      valid_3_q <= valid_q[2];
      late_q <= {
        optimal_late_t'{taken: long, len3: 8'(whole_q - 9'(MIN_MATCH)), item: item_3_q},
        late_q[MAX_LEN:2]
      };
      late_valid_q <= {valid_3_q, late_valid_q[MAX_LEN:2]};
      chain_q[MAX_LEN] <= '{
          length: long ? '0 : LEN_W'(whole_q),
          some: 1'b0,
          cost: '0,
          len3: '0
      };
    end
    if (rst) begin
      valid_3_q <= 1'b0;
      late_valid_q <= '0;
    end
  end

  for (genvar l = MIN_MATCH; l <= MAX_LEN; l++) begin : gen_length
    // Extra bits of the next length, beyond those of this one.
    localparam int MORE = int'(length_extra(
        length_symbol(8'(l - 2))
    )) - int'(length_extra(
        length_symbol(8'(l - 3))
    ));
    optimal_chain_t now;
    parse_cost_t longer, less;
    logic shorter;
    assign now = chain_q[l];
    assign longer = now.cost + parse_cost_t'(MORE);
    assign less = cost_q - longer;
    assign shorter = now.length >= LEN_W'(l) && (!now.some || less[COST_W-1]);
    always_ff @(posedge clk) begin
      if (step) begin
        chain_q[l-1] <= '{
            length: now.length,
            some: now.some || shorter,
            cost: shorter ? cost_q : longer,
            len3: shorter ? LEN_W'(l - MIN_MATCH) : now.len3
        };
      end
    end
  end

  // Match or literal.
  logic match_q, better;
  logic [LEN_W-1:0] len3_q;
  parse_cost_t with_match_q, compared_q, margin;  // compared_q: with_match_q - LITERAL
  assign margin = cost_q - compared_q;
  assign better = match_q && !margin[COST_W-1];

  always_ff @(posedge clk) begin
    if (step) begin
      match_q <= chain_q[2].some;
      len3_q <= chain_q[2].len3;
      with_match_q <= chain_q[2].cost + parse_cost_t'(late_q[2].item.extra) + parse_cost_t'(MATCH);
      compared_q <= chain_q[2].cost + parse_cost_t'(late_q[2].item.extra) +
          parse_cost_t'(MATCH - LITERAL);
      if (!late_q[1].taken) cost_q <= better ? with_match_q : cost_q + parse_cost_t'(LITERAL);
      m_choice <= '{
          has_byte: late_q[1].item.has_byte,
          match: late_q[1].taken || better,
          len3: late_q[1].taken ? late_q[1].len3 : 8'(len3_q),
          dist1: late_q[1].item.dist1,
          data: late_q[1].item.data
      };
      m_last <= late_q[1].item.last;
    end
    if (free) m_valid <= step && late_valid_q[1];
    if (rst) begin
      m_valid <= 1'b0;
      cost_q  <= '0;
    end
  end
endmodule
