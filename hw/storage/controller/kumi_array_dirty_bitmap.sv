// SPDX-License-Identifier: Apache-2.0
//
// Dirty bitmap: one bit per logical stripe whose current version is in no log yet, listed in
// ascending order. The bits are in memory, in lines of 512; on chip is one bit per line, 0: nothing
// in it is set, whatever memory holds. So nothing is initialised or cleared in memory.
//
// prepare: held with stripe until `prepared`, a pulse; with bad memory returned an error, nothing
//   has changed. set: a pulse; sets the bit of the stripe prepared last.
// scan: a pulse; then m_at with m_valid and m_ready for every bit set below count, and `idle` after
//   the last, or after a memory error: then scan_bad until the next scan. clear: a pulse, clears
//   all bits. All of these start only while `idle`. After reset all are clear.
// area: where the bits are, STRIPES / 8 bytes from a multiple of that on. It changes with `clear`.
// m_axi: bursts of 64 bytes (kumi_line_cache: 32 lines).
// Latency: prepare 6 cycles with its line on chip, else that of memory plus 24; scan 4 per 32,768
//   stripes, 35 per line with a bit and memory once where it is not on chip, 3 per bit; clear one
//   per 32,768 stripes.
// Bad input: after an error of a write every prepare and scan is bad until `clear`.
module kumi_array_dirty_bitmap #(
    parameter int STRIPES = 1 << 24,  // a power of two, 512 or more
    parameter int ADDR_W  = 40        // bits of an address, that of m_axi
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] area,
    input logic clear,
    input logic prepare,
    input logic [31:0] stripe,
    output logic prepared,
    output logic bad,
    input logic set,
    input logic scan,
    input logic [31:0] count,  // stripes to scan
    output logic scan_bad,
    output logic idle,
    output logic [31:0] m_at,
    output logic m_valid,
    input logic m_ready,
    kumi_axi_if.mst m_axi
);
  localparam int LINE_W = $clog2(STRIPES) - 9;  // bits of a line
  localparam int SUM_W = LINE_W > 7 ? LINE_W - 6 : 1;  // of a word on chip
  localparam int SUMS = 1 << SUM_W;
  localparam int SET_W = 5;
  localparam int TAG_W = LINE_W > SET_W + 1 ? LINE_W - SET_W : 1;
  localparam int AT_W = SUM_W + 6;  // of a line's number here

  if (STRIPES < 512 || (STRIPES & (STRIPES - 1)) != 0) begin : gen_check
    $fatal(0, "STRIPES must be a power of two, 512 or more (%m)");
  end

  typedef enum logic [3:0] {
    WIPE,
    IDLE,
    PREPARE_SUM,
    PREPARE,
    SUM,
    SUM_LOAD,
    SUM_LOOK,
    SUM_PICK,
    LINE,
    LOOK,
    SHOW
  } state_e;
  state_e state_q;
  logic [63:0] sum, sums_q, word_q, rdata, bits, one;
  logic [SUM_W-1:0] sum_at, sum_q;
  logic sum_we, fresh_q, req, done, line_bad, quiet, end_q;
  logic [AT_W-1:0] line_q;
  logic [2:0] w_q;
  logic [16:0] last_q;  // word on chip of the last stripe
  logic [5:0] bit_q;

  // ---- a bit per line -------------------------------------------------------------------------
  assign sum_at = state_q == IDLE ? SUM_W'(stripe >> 15) : sum_q;
  assign sum_we = state_q == WIPE || (state_q == PREPARE && done && !line_bad);
  kumi_ram_sdp #(
      .W(64),
      .DEPTH(SUMS)
  ) u_sums (
      .clk,
      .wr_en  (sum_we),
      .wr_addr(sum_q),
      .wr_data(state_q == WIPE ? '0 : sums_q),
      .rd_en  (state_q == IDLE || state_q == SUM),
      .rd_addr(sum_at),
      .rd_data(sum)
  );

  // ---- the lines ------------------------------------------------------------------------------
  logic [SET_W-1:0] at_set;
  logic [TAG_W-1:0] at_tag;
  assign req = state_q == PREPARE || state_q == LINE;
  kumi_line_cache #(
      .SETS  (1 << SET_W),
      .TAG_W (TAG_W),
      .ADDR_W(ADDR_W)
  ) u_cache (
      .clk,
      .rst,
      .clear(clear && state_q == IDLE),
      .quiet,
      .req,
      .fresh(fresh_q && state_q == PREPARE),
      .we(set),
      .inv(1'b0),
      .set(SET_W'(line_q)),
      .tag(TAG_W'(line_q >> SET_W)),
      .word(w_q),
      .wdata(word_q | 64'd1 << bit_q),
      .done,
      .bad(line_bad),
      .rdata,
      .hold(1'b0),
      .hint(1'b0),
      .hint_set('0),
      .hint_tag('0),
      .at_set,
      .at_tag,
      .at_line((area[ADDR_W-1:6] & ('1 << LINE_W)) | (ADDR_W - 6)'({at_tag, at_set})),
      .m_axi
  );
  assign prepared = state_q == PREPARE && done;
  assign bad = line_bad;
  assign idle = state_q == IDLE && !scan && !clear;

  // ---- the lowest bit of a word, in two steps: its byte, then its place there -----------------
  logic [7:0] some;
  logic [2:0] byte_q, low;
  logic [7:0] few;
  assign bits = state_q == SUM_LOOK || state_q == SUM_PICK ? sums_q : word_q;
  assign few  = bits[8*byte_q+:8];
  assign one  = 64'd1 << {byte_q, low};
  always_comb begin
    for (int i = 0; i < 8; i++) some[i] = bits[8*i+:8] != '0;
    low = '0;
    for (int i = 7; i >= 0; i--) if (few[i]) low = 3'(i);
  end
  assign m_valid = state_q == SHOW;
  assign m_at = 32'({line_q, w_q, byte_q, low});

  always_ff @(posedge clk) begin
    last_q <= 17'((count - 1'b1) >> 15);
    byte_q <= '0;
    for (int i = 7; i >= 0; i--) if (some[i]) byte_q <= 3'(i);
    if (state_q == SUM_PICK || state_q == SHOW) byte_q <= byte_q;
    case (state_q)
      WIPE: begin
        sum_q <= sum_q + 1'b1;
        if (sum_q == '1) state_q <= IDLE;
      end
      IDLE: begin
        fresh_q <= 1'b0;
        if (clear) begin
          sum_q   <= '0;
          state_q <= WIPE;
        end else if (scan) begin
          sum_q <= '0;
          scan_bad <= 1'b0;
          state_q <= SUM;
        end else if (prepare) begin
          sum_q <= sum_at;
          line_q <= AT_W'(stripe >> 9);
          w_q <= stripe[8:6];
          bit_q <= stripe[5:0];
          state_q <= PREPARE_SUM;
        end
      end
      PREPARE_SUM: begin
        fresh_q <= !sum[line_q[5:0]];
        sums_q  <= sum | 64'd1 << line_q[5:0];
        state_q <= PREPARE;
      end
      PREPARE: begin
        word_q <= rdata;
        if (done) state_q <= IDLE;
      end
      SUM: state_q <= SUM_LOAD;
      SUM_LOAD: begin
        sums_q  <= sum;
        end_q   <= sum_q == '1 || 17'(sum_q) >= last_q;
        state_q <= SUM_LOOK;
      end
      SUM_LOOK:
      if (some != '0) state_q <= SUM_PICK;
      else begin
        sum_q   <= sum_q + 1'b1;
        state_q <= end_q ? IDLE : SUM;
      end
      SUM_PICK: begin
        line_q  <= {sum_q, byte_q, low};
        sums_q  <= sums_q & ~one;
        w_q     <= '0;
        state_q <= LINE;
      end
      LINE: begin
        word_q <= rdata;
        if (done) begin
          scan_bad <= line_bad;
          state_q  <= line_bad ? IDLE : LOOK;
        end
      end
      LOOK:
      if (some != '0) state_q <= SHOW;
      else begin
        w_q <= w_q + 1'b1;
        state_q <= w_q == '1 ? SUM_LOOK : LINE;
      end
      default:  // SHOW
      if (m_ready) begin
        word_q  <= word_q & ~one;
        state_q <= LOOK;
      end
    endcase
    if (rst) begin
      state_q <= WIPE;
      sum_q <= '0;
      scan_bad <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{stripe, area, quiet};
endmodule
