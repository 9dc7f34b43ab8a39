// SPDX-License-Identifier: Apache-2.0
//
// Finds one match for each position of a message: the longest of N * WAYS + 4 candidates, the
// nearest of equal ones.
//
// s_*: groups from kumi_deflate_feed. m_*: the same groups, later, with a match for each byte; the
//   groups that only flush do not come out. All registers move together, one group a step, when a
//   group comes in and what is at the output can go: so the result depends on the data alone.
// Latency match_steps() groups. clear_*: see kumi_deflate_feed; nothing may be in here.
//
// Tables: each place in a group has a table of 2**HASH_W buckets of WAYS entries, into which go the
// positions at that place; all places look into all of them, so each is there N times. An entry is
// a position and the MATCH bytes from it. The lookup of a group sees what groups have stored but
// the one before: if both have the same bucket it gets nothing. Every 256th group stores nothing
// and clears a bucket instead, so that no entry is older than half of what POS_W bits can tell.
// Distances 1 to 4 are always tried. Where MATCH bytes are equal, the lookup MATCH positions
// further in the same table continues the match.
// A candidate must lie at most 32 KiB back and within the message, and bytes beyond the piece are
// equal to none: so nothing is ever found that was not written.
module kumi_deflate_match
  import kumi_deflate_pkg::*;
#(
    parameter int N = 8,  // bytes of a group: 1, 4 or 8
    parameter int WAYS = 2,  // entries of a bucket
    parameter int HASH_W = 12,  // log2 of the buckets
    parameter int MATCH = 8  // bytes of an entry, compared at once: 8, 16 or 32
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic           [        8*N-1:0] s_data,
    input  logic           [$clog2(N+1)-1:0] s_count,
    input  logic                             s_last,
    input  logic                             s_final,
    input  logic                             s_valid,
    output logic                             s_ready,
    input  logic                             clear_on,
    input  logic           [     HASH_W-1:0] clear_at,
    output deflate_match_t [          N-1:0] m_match,
    output logic           [$clog2(N+1)-1:0] m_count,
    output logic                             m_last,
    output logic                             m_final,
    output logic                             m_valid,
    input  logic                             m_ready
);
  localparam int CNT_W = $clog2(N + 1);
  localparam int AHEAD = (MATCH - 2 + N) / N;  // groups of look-ahead
  localparam int PAST = (NEAR + N - 1) / N;  // groups of look-back
  localparam int SEEN = (AHEAD + 1) * N;  // bytes from the group on
  localparam int CHAIN = MATCH / N;  // groups to where a match continues
  // An entry is cleared within 2**(AGE_W - 1) positions; a distance up to 2**15 must be told apart.
  localparam int AGE_W = HASH_W + SWEEP_W + $clog2(N) + 1;
  localparam int POS_W = AGE_W < 17 ? 17 : AGE_W;
  localparam int CANDS = N * WAYS + NEAR;
  localparam int LEVELS = match_levels(N, WAYS);
  localparam int TAIL = 3 + CHAIN + LEVELS;  // groups between comparison and output
  localparam int RAW_W = $clog2(MATCH + 1);
  localparam bit WAITS = match_waits(N) > 0;  // what a table gives is used a step later

  if (N != 1 && N != 4 && N != 8) begin : gen_check_n
    $fatal(0, "N must be 1, 4 or 8 (%m)");
  end
  if (MATCH != 8 && MATCH != 16 && MATCH != 32) begin : gen_check_match
    $fatal(0, "MATCH must be 8, 16 or 32 (%m)");
  end

  typedef struct packed {
    logic               valid;
    logic [POS_W-1:0]   pos;
    logic [8*MATCH-1:0] data;
  } match_entry_t;

  typedef struct packed {
    logic [8*N-1:0] data;
    logic [N-1:0]   keep;
    logic           last;
    logic           final_;
  } match_group_t;

  typedef struct packed {
    logic [RAW_W-1:0] length;  // equal bytes, 0..MATCH
    logic [14:0]      dist1;
  } match_raw_t;

  typedef struct packed {
    logic [RAW_W:0] length;
    logic [14:0]    dist1;
  } match_cand_t;

  // Column of the hash for each bit of four bytes.
  typedef logic [31:0][HASH_W-1:0] match_hash_t;
  function automatic match_hash_t hash_columns();
    match_hash_t columns;
    for (int i = 0; i < 32; i++) begin
      columns[i] = HASH_W'((32'h9e37_79b1 * 32'(2 * i + 1)) >> (32 - HASH_W));
    end
    return columns;
  endfunction
  localparam match_hash_t HASH_COLUMNS = hash_columns();

  function automatic logic [HASH_W-1:0] hash(input logic [31:0] four);
    logic [HASH_W-1:0] h;
    h = '0;
    for (int i = 0; i < 32; i++) begin
      if (four[i]) h ^= HASH_COLUMNS[i];
    end
    return h;
  endfunction

  logic step;
  assign s_ready = !m_valid || m_ready;
  assign step = s_valid && s_ready;

  // Window: [0] is the oldest look-back, [PAST] the group at hand, [PAST + AHEAD] the newest.
  match_group_t [PAST+AHEAD:0] win_q, look_q, read_q, cmp_q;
  match_group_t group_in;
  always_comb begin
    group_in = '{data: s_data, keep: '0, last: s_last, final_: s_final};
    for (int i = 0; i < N; i++) group_in.keep[i] = s_count > CNT_W'(i);
  end

  logic [8*SEEN-1:0] win_data, cmp_data;
  logic [SEEN-1:0] cmp_keep;
  logic [8*(N*PAST+SEEN)-1:0] cmp_all;
  logic [N*PAST-1:0] past_keep;
  always_comb begin
    for (int g = 0; g <= AHEAD; g++) begin
      win_data[8*N*g+:8*N] = win_q[PAST+g].data;
      cmp_data[8*N*g+:8*N] = cmp_q[PAST+g].data;
      cmp_keep[N*g+:N] = cmp_q[PAST+g].keep;
    end
    for (int g = 0; g <= PAST + AHEAD; g++) cmp_all[8*N*g+:8*N] = cmp_q[g].data;
    for (int g = 0; g < PAST; g++) past_keep[N*g+:N] = cmp_q[g].keep;
  end

  logic [POS_W-1:0] win_pos_q, look_pos_q, read_pos_q, cmp_pos_q, win_size;
  logic [N-1:0][HASH_W-1:0] look_hash_q, read_hash_q, cmp_hash_q;
  logic [SWEEP_W-1:0] groups_q;
  logic [HASH_W-1:0] sweep_at_q;
  logic sweep;

  always_comb begin
    win_size = '0;
    for (int i = 0; i < N; i++) if (win_q[PAST].keep[i]) win_size = POS_W'(i + 1);
  end

  always_ff @(posedge clk) begin
    if (step) begin
      win_q  <= {group_in, win_q[PAST+AHEAD:1]};
      look_q <= win_q;
      read_q <= look_q;
      cmp_q  <= WAITS ? read_q : look_q;
      for (int k = 0; k < N; k++) look_hash_q[k] <= hash(win_data[8*k+:32]);
      read_hash_q <= look_hash_q;
      cmp_hash_q  <= WAITS ? read_hash_q : look_hash_q;
      win_pos_q   <= win_pos_q + win_size;
      look_pos_q  <= win_pos_q;
      read_pos_q  <= look_pos_q;
      cmp_pos_q   <= WAITS ? read_pos_q : look_pos_q;
      if (cmp_q[PAST].keep[0]) groups_q <= groups_q + 1'b1;
      if (sweep) sweep_at_q <= sweep_at_q + 1'b1;
    end
    if (clear_on) begin
      win_pos_q  <= '0;
      groups_q   <= '0;
      sweep_at_q <= '0;
    end
    if (rst) begin
      win_q  <= '0;
      look_q <= '0;
      read_q <= '0;
      cmp_q  <= '0;
    end
  end
  assign sweep = cmp_q[PAST].keep[0] && &groups_q;

  // Tables. The write of a group is in the cycle in which the next group reads, or the one after it
  // if the tables' words wait in a register: that one takes it from `stored_q`.
  match_entry_t [N-1:0][N-1:0][WAYS-1:0] found;  // [place that looks][place stored][way]
  match_entry_t [N-1:0][WAYS-1:0] store;
  logic [N-1:0] store_en, whole;  // whole: a position of the piece with all of an entry's bytes
  logic [N-1:0][HASH_W-1:0] store_at;
  logic [N-1:0][N-1:0] collides_q;

  always_comb begin
    for (int c = 0; c < N; c++) begin
      whole[c] = cmp_keep[c] && cmp_keep[c+MATCH-1];
      store_en[c] = clear_on || (step && (sweep || whole[c]));
      store_at[c] = clear_on ? clear_at : sweep ? sweep_at_q : cmp_hash_q[c];
      for (int w = WAYS - 1; w > 0; w--) begin
        store[c][w] = found[c][c][w-1];
        store[c][w].valid = found[c][c][w-1].valid && !collides_q[c][c] && !clear_on && !sweep;
      end
      store[c][0] = '{
          valid: !clear_on && !sweep,
          pos: cmp_pos_q + POS_W'(c),
          data: cmp_data[8*c+:8*MATCH]
      };
    end
  end

  for (genvar k = 0; k < N; k++) begin : gen_reader
    for (genvar c = 0; c < N; c++) begin : gen_table
      match_entry_t [WAYS-1:0] word;
      logic stores;
      assign stores = sweep || whole[c];
      kumi_ram_sdp #(
          .W(WAYS * $bits(match_entry_t)),
          .DEPTH(2 ** HASH_W)
      ) u_table (
          .clk,
          .wr_en  (store_en[c]),
          .wr_addr(store_at[c]),
          .wr_data(store[c]),
          .rd_en  (step),
          .rd_addr(look_hash_q[k]),
          .rd_data(word)
      );
      if (WAITS) begin : gen_waits
        match_entry_t [WAYS-1:0] word_q, stored_q;
        logic meets_q;
        always_ff @(posedge clk) begin
          if (step) begin
            stored_q <= store[c];
            word_q <= meets_q ? stored_q : word;
            meets_q <= stores && store_at[c] == look_hash_q[k];
            collides_q[k][c] <= stores && store_at[c] == read_hash_q[k];
          end
        end
        assign found[k][c] = word_q;
      end else begin : gen_direct
        always_ff @(posedge clk) begin
          if (step) collides_q[k][c] <= stores && store_at[c] == look_hash_q[k];
        end
        assign found[k][c] = word;
      end
    end
  end
  // Compare: equal bytes and distance, then their number. A byte beyond the piece resets the result
  // of its comparison, which takes no logic.
  logic [N-1:0][CANDS-1:0][MATCH-1:0] equal_q;
  logic [N-1:0][N*WAYS-1:0][POS_W-1:0] diff_q;
  logic [N-1:0][N*WAYS-1:0] valid_q;
  logic [N-1:0][NEAR-1:0] near_valid_q;  // the earlier byte is one of the piece
  match_raw_t [CHAIN:0][N-1:0][CANDS-1:0] raw_q;  // [CHAIN] is the group at hand

  function automatic logic [RAW_W-1:0] run_length(input logic [MATCH-1:0] equal);
    logic [RAW_W-1:0] n;
    n = RAW_W'(MATCH);
    for (int i = MATCH - 1; i >= 0; i--) if (!equal[i]) n = RAW_W'(i);
    return n;
  endfunction

  for (genvar k = 0; k < N; k++) begin : gen_compare
    for (genvar i = 0; i < NEAR; i++) begin : gen_near
      // Place of the earlier byte among look-back and group.
      localparam int FROM = N * PAST + k - (i + 1);
      logic there;
      if (k >= i + 1) begin : gen_here
        assign there = cmp_keep[k-(i+1)];
      end else begin : gen_past
        assign there = past_keep[FROM];
      end
      always_ff @(posedge clk) begin
        if (step) begin
          for (int b = 0; b < MATCH; b++) begin
            if (!cmp_keep[k+b]) equal_q[k][i][b] <= 1'b0;
            else equal_q[k][i][b] <= cmp_all[8*(FROM+b)+:8] == cmp_data[8*(k+b)+:8];
          end
          near_valid_q[k][i] <= there;
          raw_q[0][k][i] <= '{
              length: near_valid_q[k][i] ? run_length(equal_q[k][i]) : '0,
              dist1: 15'(i)
          };
        end
      end
    end
    for (genvar c = 0; c < N; c++) begin : gen_place
      for (genvar w = 0; w < WAYS; w++) begin : gen_way
        localparam int T = c * WAYS + w;
        always_ff @(posedge clk) begin
          if (step) begin
            for (int b = 0; b < MATCH; b++) begin
              if (!cmp_keep[k+b]) equal_q[k][NEAR+T][b] <= 1'b0;
              else equal_q[k][NEAR+T][b] <= found[k][c][w].data[8*b+:8] == cmp_data[8*(k+b)+:8];
            end
            diff_q[k][T] <= cmp_pos_q + POS_W'(k) + ~found[k][c][w].pos;  // minus 1
            valid_q[k][T] <= found[k][c][w].valid && !collides_q[k][c];
            raw_q[0][k][NEAR+T] <= '{
                length:
                valid_q[k][T]
                &&
                diff_q[k][T][POS_W-1:15]
                == '0 ?
                run_length(equal_q[k][NEAR+T])
                : '0,
                dist1: diff_q[k][T][14:0]
            };
          end
        end
      end
    end
  end

  always_ff @(posedge clk) if (step) raw_q[CHAIN:1] <= raw_q[CHAIN-1:0];

  // Continue matches of MATCH bytes, and drop what is too short.
  match_cand_t [N-1:0][CANDS-1:0] cand_q;
  for (genvar k = 0; k < N; k++) begin : gen_chain
    for (genvar i = 0; i < CANDS; i++) begin : gen_cand
      localparam int FIRST = i < NEAR ? i : i - (i - NEAR) % WAYS;
      localparam int LAST = i < NEAR ? i : FIRST + WAYS - 1;
      match_raw_t own;
      logic [RAW_W-1:0] more;
      logic [RAW_W:0] length;
      assign own = raw_q[CHAIN][k][i];
      always_comb begin
        more = '0;
        for (int j = FIRST; j <= LAST; j++) begin
          if (raw_q[0][k][j].dist1 == own.dist1) more |= raw_q[0][k][j].length;
        end
        length = {1'b0, own.length};
        if (own.length[RAW_W-1]) length = (RAW_W + 1)'(more) + (RAW_W + 1)'(MATCH);
        if (own.length < RAW_W'(3) || (own.length == RAW_W'(3) && own.dist1 >= 15'(FAR_LENGTH_3)))
          length = '0;
      end
      always_ff @(posedge clk) if (step) cand_q[k][i] <= '{length: length, dist1: own.dist1};
    end
  end

  // The best of the near distances and of each bucket, whose entries are in order of distance; then
  // the best of those.
  match_cand_t [N-1:0] best;
  for (genvar k = 0; k < N; k++) begin : gen_select
    logic [N:0][RAW_W:0] length;
    logic [N:0][14:0] dist1;
    for (genvar c = 0; c <= N; c++) begin : gen_bucket
      localparam int COUNT = c == 0 ? NEAR : WAYS;
      localparam int FROM = c == 0 ? 0 : NEAR + (c - 1) * WAYS;
      logic [COUNT-1:0][RAW_W:0] lengths;
      logic [COUNT-1:0][14:0] dist1s;
      for (genvar i = 0; i < COUNT; i++) begin : gen_cand
        assign lengths[i] = cand_q[k][FROM+i].length;
        assign dist1s[i]  = cand_q[k][FROM+i].dist1;
      end
      kumi_deflate_best #(
          .COUNT(COUNT),
          .LENGTH_W(RAW_W + 1),
          .ORDERED(1),
          .LEVELS(bucket_levels(WAYS))
      ) u_best (
          .clk,
          .step,
          .s_length(lengths),
          .s_dist1 (dist1s),
          .m_length(length[c]),
          .m_dist1 (dist1[c])
      );
    end
    kumi_deflate_best #(
        .COUNT(N + 1),
        .LENGTH_W(RAW_W + 1)
    ) u_best (
        .clk,
        .step,
        .s_length(length),
        .s_dist1 (dist1),
        .m_length(best[k].length),
        .m_dist1 (best[k].dist1)
    );
  end

  // The groups themselves wait.
  match_group_t [TAIL-1:0] late_q;
  match_group_t group_out;
  always_ff @(posedge clk) begin
    if (step) late_q <= {late_q[TAIL-2:0], cmp_q[PAST]};
    if (rst) late_q <= '0;
  end
  assign group_out = late_q[TAIL-1];

  logic valid_out_q;
  always_ff @(posedge clk) begin
    if (step) valid_out_q <= late_q[TAIL-2].keep[0] || late_q[TAIL-2].last;
    else if (m_ready) valid_out_q <= 1'b0;
    if (rst) valid_out_q <= 1'b0;
  end

  always_comb begin
    m_count = '0;
    for (int k = 0; k < N; k++) begin
      m_match[k] = '{
          data: group_out.data[8*k+:8],
          length: 7'(best[k].length),
          dist1: best[k].dist1
      };
      if (group_out.keep[k]) m_count = CNT_W'(k + 1);
    end
  end
  assign m_last  = group_out.last;
  assign m_final = group_out.final_;
  assign m_valid = valid_out_q;
endmodule
