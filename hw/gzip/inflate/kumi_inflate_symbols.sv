// SPDX-License-Identifier: Apache-2.0
//
// Makes tokens of the groups of symbols that kumi_inflate_rows finds: looks the symbols up one
// after another, in a pipeline without feedback, and adds extra bits.
//
// wr_*: fills the tables, while no group is under way. s_*: a group, and the LOOK bits it is in.
//   With s_group.raw the low bits of s_bits are a token that is passed on in its turn.
// m_*: tokens, in order, LATENCY (4 * SYMS + 3) cycles later. One a cycle; no back-pressure.
module kumi_inflate_symbols
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int SYMS = 4,  // symbols of a group
    parameter int LOOK = 64  // bits of s_bits
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic                             wr_en,
    input  logic            [TABLE_BITS-1:0] wr_addr,
    input  inflate_litlen_t                  wr_litlen,
    input  inflate_dist_t                    wr_dist,
    input  logic                             s_valid,
    input  inflate_group_t                   s_group,
    input  logic            [      LOOK-1:0] s_bits,
    output logic                             m_valid,
    output inflate_token_t                   m_token,
    output logic                             busy
);
  localparam int LITLEN_W = $bits(inflate_litlen_t);
  localparam int DIST_W = $bits(inflate_dist_t);
  localparam int TABLES = (SYMS + 1) / 2;

  // What travels with a group.
  typedef struct packed {
    logic            valid;
    logic            raw;
    logic            distance;
    logic            match;
    logic [2:0]      count;
    logic [5:0]      pos;       // of the next symbol
    logic [LOOK-1:0] bits;
    logic [31:0]     data;      // literals
    logic [4:0]      value;     // length or distance symbol
  } symbols_t;

  symbols_t stage_q[4*SYMS+1];
  symbols_t first;

  always_comb begin
    first = '0;
    first.valid = s_valid;
    first.raw = s_group.raw;
    first.distance = s_group.distance;
    first.match = s_group.match;
    first.count = s_group.count;
    first.pos = 6'(s_group.pos);
    first.bits = s_bits;
  end

  always_ff @(posedge clk) begin
    stage_q[0] <= first;
    if (rst) stage_q[0].valid <= 1'b0;
  end

  // ---- tables ---------------------------------------------------------------------------------
  logic [2*TABLES-1:0][TABLE_BITS-1:0] index_q;
  logic [2*TABLES-1:0][  LITLEN_W-1:0] read;
  logic [DIST_W-1:0] read_dist, read_dist_b;

  for (genvar t = 0; t < TABLES; t++) begin : gen_table
    kumi_inflate_table #(
        .W(LITLEN_W),
        .ADDR_W(TABLE_BITS)
    ) u_table (
        .clk,
        .en(1'b1),
        .wr_en,
        .wr_data(wr_litlen),
        .a_addr(wr_en ? wr_addr : index_q[2*t]),
        .a_data(read[2*t]),
        .b_addr(index_q[2*t+1]),
        .b_data(read[2*t+1])
    );
  end
  if (SYMS % 2 != 0) begin : gen_odd
    assign index_q[SYMS] = '0;
  end

  kumi_inflate_table #(
      .W(DIST_W),
      .ADDR_W(TABLE_BITS)
  ) u_dist (
      .clk,
      .en(1'b1),
      .wr_en,
      .wr_data(wr_dist),
      .a_addr(wr_en ? wr_addr : index_q[0]),
      .a_data(read_dist),
      .b_addr(index_q[0]),
      .b_data(read_dist_b)
  );

  // ---- a symbol in four cycles: its index, the table's two, its value and the next's place
  for (genvar k = 0; k < SYMS; k++) begin : gen_symbol
    inflate_litlen_t litlen_q;
    inflate_dist_t   dist_q;
    logic last, taken;

    assign taken = 3'(k) < stage_q[4*k+2].count;
    assign last  = 3'(k) + 1'b1 == stage_q[4*k+3].count;

    always_ff @(posedge clk) begin
      index_q[k] <= TABLE_BITS'(stage_q[4*k].bits >> stage_q[4*k].pos);
      stage_q[4*k+1] <= stage_q[4*k];
      stage_q[4*k+2] <= stage_q[4*k+1];
      litlen_q <= taken ? read[k] : '0;
      dist_q <= k == 0 && stage_q[2].distance ? read_dist : '0;
      stage_q[4*k+3] <= stage_q[4*k+2];
      stage_q[4*k+4] <= stage_q[4*k+3];
      if (k == 0 && stage_q[3].distance) begin
        stage_q[4*k+4].pos   <= stage_q[4*k+3].pos + 6'(dist_q.bits);
        stage_q[4*k+4].value <= dist_q.value;
      end else begin
        stage_q[4*k+4].pos <= stage_q[4*k+3].pos + 6'(litlen_q.bits);
        if (last) stage_q[4*k+4].value <= litlen_q.value[4:0];
        stage_q[4*k+4].data[8*k+:8] <= litlen_q.value;
      end
      if (rst) begin
        for (int i = 1; i <= 4; i++) stage_q[4*k+i].valid <= 1'b0;
      end
    end
  end

  // ---- extra bits -----------------------------------------------------------------------------
  symbols_t last_q;
  logic [12:0] extra_q, mask_q, mask;
  logic [14:0] base_q, base;
  logic [3:0] extra_bits;

  always_comb begin
    base = 15'(length_base(stage_q[4*SYMS].value));
    extra_bits = 4'(length_extra(stage_q[4*SYMS].value));
    if (stage_q[4*SYMS].distance) begin
      base = dist_base(stage_q[4*SYMS].value);
      extra_bits = dist_extra(stage_q[4*SYMS].value);
    end
    mask = ~(13'h1fff << extra_bits);
  end

  always_ff @(posedge clk) begin
    last_q  <= stage_q[4*SYMS];
    extra_q <= 13'(stage_q[4*SYMS].bits >> stage_q[4*SYMS].pos);
    base_q  <= base;
    mask_q  <= mask;
    if (rst) last_q.valid <= 1'b0;
  end

  inflate_token_t token;
  logic [14:0] total;
  assign total = base_q + 15'(extra_q & mask_q);

  always_comb begin
    token = '{
        kind: last_q.distance ? TOKEN_DIST : TOKEN_DATA,
        count: last_q.count - 3'(last_q.match),
        match: last_q.match,
        len: total[7:0],
        data: last_q.distance ? 32'(total) : last_q.data
    };
    if (last_q.raw) token = inflate_token_t'(last_q.bits[TOKEN_W-1:0]);
  end

  always_ff @(posedge clk) begin
    m_valid <= last_q.valid;
    m_token <= token;
    if (rst) m_valid <= 1'b0;
  end

  always_comb begin
    busy = m_valid || last_q.valid;
    for (int i = 0; i <= 4 * SYMS; i++) busy |= stage_q[i].valid;
  end

  logic unused;
  assign unused = ^{read_dist_b, read, last_q};
endmodule
