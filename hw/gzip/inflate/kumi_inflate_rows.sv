// SPDX-License-Identifier: Apache-2.0
//
// Finds the symbols of a block: for each bit of a row at once, as if a symbol began there, the bits
// that it takes; then, for each bit, where up to SYMS symbols in a row from there end. Only the
// choice among these results depends on the symbols before, so one group a cycle is found.
//
// wr_*: fills the table, while halted. go: decode from bit go_pos of row go_row on (go_dist: a
//   distance is next); with go_fetch rows are read again, else they continue, no more than 2 rows
//   beyond the one where it halted. stop: halt at once.
// m_*: groups of symbols with the LOOK bits that they are in; ready in the cycle before is needed,
//   there is no other back-pressure.
// halted: the next symbol, at bit halt_pos of row_at, cannot be found by table: end of block, a
//   code longer than TABLE_BITS or none at all, or it is not complete in the buffer. halt_stale:
//   more of it may have arrived since the row was read (go_fetch is needed then).
// row_at: rows before it are not needed any more.
// Throughput: a group a cycle, of up to SYMS symbols within a row.
module kumi_inflate_rows
  import kumi_inflate_pkg::*;
#(
    parameter int SPAN  = 32,                    // bits of a row
    parameter int SYMS  = 4,                     // symbols of a group, 2..4
    parameter int ROW_W = 7,                     // bits of a row's number
    parameter int LOOK  = SPAN == 32 ? 64 : 48,  // bits that are seen with a row
    parameter int BIT_W = $clog2(SPAN)
) (
    input  logic                                  clk,
    input  logic                                  rst,
    // table
    input  logic                                  wr_en,
    input  logic                 [TABLE_BITS-1:0] wr_addr,
    input  inflate_litlen_step_t                  wr_litlen,
    input  inflate_dist_step_t                    wr_dist,
    // control
    input  logic                                  go,
    input  logic                 [     ROW_W-1:0] go_row,
    input  logic                 [     BIT_W-1:0] go_pos,
    input  logic                                  go_dist,
    input  logic                                  go_fetch,
    input  logic                                  stop,
    output logic                                  halted,
    output logic                                  halt_stale,
    output logic                                  halt_dist,
    output logic                 [     BIT_W-1:0] halt_pos,
    output logic                 [     ROW_W-1:0] row_at,
    // rows
    output logic                 [     ROW_W-1:0] row,
    input  logic                 [      LOOK-1:0] row_bits,
    input  logic                 [           6:0] row_limit,
    input  logic                                  row_ready,
    input  logic                                  row_some,
    // groups
    output logic                                  m_valid,
    output inflate_group_t                        m_group,
    output logic                 [      LOOK-1:0] m_bits,
    input  logic                                  m_ready
);
  localparam int STEP_W = $bits(inflate_litlen_step_t);
  localparam int DIST_W = $bits(inflate_dist_step_t);
  localparam int STAGES = 2 + SYMS;  // of a row before the choice
  localparam int PATIENCE = 32;  // cycles without input before a part of it is decoded

  if (SYMS < 2 || SYMS > 4) begin : gen_check_syms
    $fatal(0, "SYMS must be 2..4 (%m)");
  end

  // Where symbols from one bit on lead to.
  typedef struct packed {
    logic       stop;   // the symbol at `next` cannot be found here
    logic       match;  // the last one is a length
    logic [2:0] count;
    logic [5:0] next;
  } path_t;

  // ---- rows in order --------------------------------------------------------------------------
  logic [STAGES:0] valid_q;  // [0] read from the buffer .. [STAGES] before the choice
  logic [STAGES:0][LOOK-1:0] bits_q;
  logic [STAGES:0][ROW_W-1:0] number_q;
  logic [STAGES:0] part_q;  // not all LOOK bits were there
  logic [2:0][6:0] limit_q;
  logic en, fetch, flush, run_q;
  logic [$clog2(PATIENCE)-1:0] idle_q;
  logic [ROW_W-1:0] fetch_q;

  assign row   = fetch_q;
  assign flush = (go && go_fetch) || stop || rst;
  assign fetch = run_q && (row_ready || (row_some && &idle_q));

  always_ff @(posedge clk) begin
    idle_q <= fetch || !run_q || !en ? '0 : &idle_q ? idle_q : idle_q + 1'b1;
    if (en) begin
      valid_q  <= {valid_q[STAGES-1:0], fetch};
      bits_q   <= {bits_q[STAGES-1:0], row_bits};
      number_q <= {number_q[STAGES-1:0], fetch_q};
      part_q   <= {part_q[STAGES-1:0], row_limit < 7'(LOOK)};
      limit_q  <= {limit_q[1:0], row_limit};
      if (fetch) fetch_q <= fetch_q + 1'b1;
    end
    if (flush) valid_q <= '0;
    if (go && go_fetch) fetch_q <= go_row;
    if (go) run_q <= 1'b1;
    if (stop || rst) run_q <= 1'b0;
  end

  // ---- a symbol at each bit, of either kind ---------------------------------------------------
  logic [SPAN-1:0][STEP_W+DIST_W-1:0] read, read_q;

  for (genvar i = 0; i < SPAN; i += 2) begin : gen_table
    kumi_inflate_table #(
        .W(STEP_W + DIST_W),
        .ADDR_W(TABLE_BITS)
    ) u_table (
        .clk,
        .en(en || wr_en),
        .wr_en,
        .wr_data({wr_litlen, wr_dist}),
        .a_addr(wr_en ? wr_addr : bits_q[0][i+:TABLE_BITS]),
        .a_data(read[i]),
        .b_addr(bits_q[0][i+1+:TABLE_BITS]),
        .b_data(read[i+1])
    );
  end

  // ---- paths ----------------------------------------------------------------------------------
  path_t [SYMS:1][SPAN-1:0] path_q;  // [n]: of up to n symbols
  logic [SYMS-1:1][SPAN-1:0] chain_q;  // the symbol is a literal, and ends in this row
  logic [SYMS-1:1][SPAN-1:0][3:0] step_q;
  logic [SYMS:1][SPAN-1:0] dist_ok_q;
  logic [SYMS:1][SPAN-1:0][5:0] dist_next_q;

  always_ff @(posedge clk) if (en) read_q <= read;

  for (genvar i = 0; i < SPAN; i++) begin : gen_first
    inflate_litlen_step_t lit;
    inflate_dist_step_t   distance;
    logic [6:0] lit_next, dist_next;
    logic lit_ok;

    assign {lit, distance} = read_q[i];
    assign lit_next = 7'(i) + 7'(lit.step);
    assign dist_next = 7'(i) + 7'(distance.step);
    assign lit_ok = lit.ok && lit_next <= limit_q[2];

    always_ff @(posedge clk) begin
      if (en) begin
        path_q[1][i] <= '{
            stop: !lit_ok,
            match: lit_ok && !lit.lit,
            count: 3'(lit_ok),
            next: lit_ok ? lit_next[5:0] : 6'(i)
        };
        chain_q[1][i] <= lit_ok && lit.lit && lit_next < 7'(SPAN);
        step_q[1][i] <= lit.step;
        dist_ok_q[1][i] <= distance.ok && dist_next <= limit_q[2];
        dist_next_q[1][i] <= dist_next[5:0];
      end
    end
  end

  for (genvar n = 2; n <= SYMS; n++) begin : gen_path
    for (genvar i = 0; i < SPAN; i++) begin : gen_bit
      path_t rest;

      always_comb begin
        rest = '0;
        for (int step = 1; step <= TABLE_BITS; step++) begin
          if (i + step < SPAN && step_q[n-1][i] == 4'(step)) begin
            rest |= path_q[n-1][(i+step)%SPAN];
          end
        end
        rest.count = rest.count + 1'b1;
      end

      always_ff @(posedge clk) begin
        if (en) begin
          path_q[n][i] <= chain_q[n-1][i] ? rest : path_q[n-1][i];
          dist_ok_q[n][i] <= dist_ok_q[n-1][i];
          dist_next_q[n][i] <= dist_next_q[n-1][i];
        end
      end
    end
    if (n < SYMS) begin : gen_keep
      always_ff @(posedge clk) begin
        if (en) begin
          chain_q[n] <= chain_q[n-1];
          step_q[n]  <= step_q[n-1];
        end
      end
    end
  end

  // ---- the choice -----------------------------------------------------------------------------
  // pos_q counts from the row before the choice; seek_q: that row comes later.
  logic [5:0] pos_q, next, dist_next;
  logic [BIT_W-1:0] at;
  logic dist_q, seek_q, halted_q, here, over, choose, leave, dist_ok;
  path_t path;

  assign at = pos_q[BIT_W-1:0];
  assign path = path_q[SYMS][at];
  assign dist_ok = dist_ok_q[SYMS][at];
  assign dist_next = dist_next_q[SYMS][at];
  assign here = valid_q[STAGES] && number_q[STAGES] == row_at;
  assign over = pos_q >= 6'(SPAN);  // in the next row
  assign choose = here && !seek_q && !over && run_q && !halted_q && m_ready;
  assign next = dist_q ? dist_next : path.next;
  assign leave = (choose && (dist_q ? dist_ok : !path.stop) && next >= 6'(SPAN))
      || (here && !seek_q && over && !halted_q);
  assign en = !valid_q[STAGES] || leave || (seek_q && !here);

  always_ff @(posedge clk) begin
    m_valid <= 1'b0;
    m_bits <= bits_q[STAGES];
    m_group <= '{
        raw: 1'b0,
        distance: dist_q,
        match: path.match && !dist_q,
        count: dist_q ? 3'd1 : path.count,
        pos: 5'(at)
    };
    if (choose) begin
      if (dist_q) begin
        if (dist_ok) begin
          dist_q  <= 1'b0;
          pos_q   <= next;
          m_valid <= 1'b1;
        end else begin
          halted_q <= 1'b1;
        end
      end else begin
        dist_q <= path.match;
        pos_q <= next;
        m_valid <= path.count != '0;
        halted_q <= path.stop;
      end
    end
    if (leave) begin
      pos_q  <= (choose ? next : pos_q) - 6'(SPAN);
      row_at <= row_at + 1'b1;
    end
    if (here) seek_q <= 1'b0;
    halt_stale <= part_q[STAGES];
    if (go) begin
      pos_q <= 6'(go_pos);
      dist_q <= go_dist;
      row_at <= go_row;
      seek_q <= 1'b1;
      halted_q <= 1'b0;
    end
    if (stop || rst) begin
      m_valid  <= 1'b0;
      halted_q <= 1'b1;
    end
  end

  assign halted = halted_q;
  assign halt_dist = dist_q;
  assign halt_pos = at;
endmodule
