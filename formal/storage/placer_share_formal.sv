// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_placer_select with two devices that always have space, one chunk at a time: no
// device starves. The selected device gets the chunk; costs are arbitrary, from 1.
//
// Proved: the scan finds the least key, of equal ones the lower number. No device gets ahead of
// another by more than one chunk of the latter: base_i <= base_j + SLACK * cost_j, where SLACK is
// 16, or 31 with the hash of wide stripes (an arbitrary number here). While a device waits, each
// other one receives at most its own next chunk plus what takes as long as one chunk of the waiting
// device, so every wait is bounded. Assumed: sums stay below half of their range (see
// kumi_placer_pkg).
`include "kumi_assert.svh"
module placer_share_formal
  import kumi_placer_pkg::*;
#(
    parameter bit SINGLE = 1'b1  // stripes of one chunk
) (
    input logic                   clk,
    input logic                   rst,
    input logic [1:0][COST_W-1:0] start_cost,
    input logic                   start_watched,
    input logic [3:0]             next_u
);
  localparam int N = 2;
  localparam logic [11:0] SLACK = SINGLE ? 12'd16 : 12'd31;

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Devices. before: base when the watched one was last picked.
  place_key_t [N-1:0] base_q, before_q, key;
  cost_t [N-1:0] cost_q;
  logic [N-1:0][3:0] u_q;
  logic watched_q;
  logic busy_q, start, done, found, rd_en, best_full, best_required;
  logic [6:0] rd_at, best;
  logic [7:0] with_space, available_count, required_count;
  logic [39:0] space;
  placer_device_t word_q;

  assign start = !busy_q;
  always_ff @(posedge clk) begin
    if (!started_q) begin
      cost_q    <= start_cost;
      watched_q <= start_watched;
    end
    if (rd_en) begin
      word_q        <= '0;
      word_q.usable <= 1'b1;
      word_q.space  <= SPACE_W'(1);
      for (int i = 0; i < N; i++) begin
        if (rd_at == 7'(i)) begin
          word_q.cost <= cost_q[i];
          word_q.base <= base_q[i];
          word_q.hash <= u_q[i];
        end
      end
    end
    busy_q <= !done;
    if (done) begin
      for (int i = 0; i < N; i++) begin
        if (best == 7'(i)) begin
          base_q[i] <= base_q[i] + KEY_W'({cost_q[i], 4'd0});
          u_q[i]    <= SINGLE ? 4'd0 : next_u;
        end
        if (best == 7'(watched_q)) before_q[i] <= base_q[i];
      end
    end
    if (rst) begin
      busy_q   <= 1'b0;
      base_q   <= '0;
      before_q <= '0;
      u_q      <= '0;
    end
  end
  always_comb begin

    for (int i = 0; i < N; i++) begin
      assume (cost_q[i] != 0);
      assume (!base_q[i][KEY_W-1]);
      key[i] = base_q[i] + KEY_W'(cost_q[i]) * KEY_W'({1'b1, u_q[i]});
    end
  end

  kumi_placer_select #(
      .PORTS(N)
  ) u_dut (
      .clk,
      .rst,
      .start,
      .dynamic    (1'b0),
      .single     (SINGLE),
      .depth      (8'd0),
      .stripes    (32'd1),
      .max_base   ('0),
      .by_capacity(1'b0),
      .free_only  (1'b0),
      .slack      (1'b1),
      .exclude    ('0),
      .rd_en,
      .rd_at,
      .rd_device  (word_q),
      .done,
      .found,
      .best,
      .best_full,
      .best_required,
      .with_space,
      .available_count,
      .required_count,
      .space
  );

  logic least, even, soon;
  always_comb begin
    least = found && best < 7'(N);
    even  = 1'b1;
    soon  = 1'b1;
    for (int i = 0; i < N; i++) begin
      for (int j = 0; j < N; j++) begin
        if (best == 7'(i) && (key[j] < key[i] || (key[j] == key[i] && j < i))) least = 1'b0;
        even &= 12'(base_q[i]) <= 12'(base_q[j]) + SLACK * 12'(cost_q[j]);
        if (watched_q == 1'(j)) begin
          even &= 12'(base_q[j]) <= 12'(before_q[i]) + SLACK * 12'(cost_q[i]);
          soon &= 12'(base_q[i]) <= 12'(before_q[i]) + SLACK * (12'(cost_q[i]) + 12'(cost_q[j]));
        end
      end
    end
  end
  `KUMI_ASSERT(a_least, !done || least)
  `KUMI_ASSERT(a_counts,
               !done || (with_space == 8'(N) && available_count == 8'(N) && space == 40'(N)))
  `KUMI_ASSERT(a_even, even)
  `KUMI_ASSERT(a_soon, soon)

  // A scan takes N + 5 cycles. At age n, device n - 1 is being read, n - 2 in the first step, n - 3
  // in the second, n - 4 in the third, and the least of those before is known.
  logic [3:0] age_q;
  logic on_time, read_right, part_right, sum_right, key_right, least_right;
  always_ff @(posedge clk) age_q <= rst || done || start ? 4'd0 : age_q + 1'b1;

  function automatic logic step_is_on(input logic [3:0] age, input int low);
    return age >= 4'(low) && age < 4'(low + N);
  endfunction

  always_comb begin
    on_time = u_dut.run_q == step_is_on(age_q, 0) && (!u_dut.run_q || u_dut.at_q == 7'(age_q)) &&
        u_dut.read_q == step_is_on(age_q, 1) && u_dut.part_valid_q == step_is_on(age_q, 2) &&
        u_dut.sum_valid_q == step_is_on(age_q, 3) && u_dut.key_valid_q == step_is_on(age_q, 4) &&
        found == (age_q >= 4'd5);
    read_right = 1'b1;
    part_right = 1'b1;
    sum_right = 1'b1;
    key_right = 1'b1;
    least_right = 1'b1;
    for (int i = 0; i < N; i++) begin
      if (age_q == 4'(i + 1)) begin
        read_right = u_dut.read_at_q == 7'(i) && u_dut.read_last_q == (i == N - 1)
            && word_q.usable && word_q.space == SPACE_W'(1) && word_q.cost == cost_q[i]
            && word_q.base == base_q[i] && word_q.hash == u_q[i];
      end
      if (age_q == 4'(i + 2)) begin
        part_right = u_dut.part_q.at == 7'(i) && u_dut.part_q.last == (i == N - 1)
            && u_dut.part_q.eligible && u_dut.base_q == base_q[i] && u_dut.cost_q == cost_q[i]
            && u_dut.low_q == (COST_W + 4)'(cost_q[i]) * (COST_W + 4)'(u_q[i][1:0])
            && u_dut.high_q == (COST_W + 4)'(cost_q[i]) * (COST_W + 4)'({u_q[i][3:2], 2'd0})
            && u_dut.part_room_q && u_dut.part_can_q && u_dut.part_usable_q
            && u_dut.part_low_q == 32'd1;
      end
      if (age_q == 4'(i + 3)) begin
        sum_right = u_dut.sum_q.at == 7'(i) && u_dut.sum_q.last == (i == N - 1)
            && u_dut.sum_q.eligible && u_dut.from_q == base_q[i]
            && KEY_W'(u_dut.more_q) == key[i] - base_q[i];
      end
      if (age_q == 4'(i + 4)) begin
        key_right = u_dut.key_q.at == 7'(i) && u_dut.key_q.last == (i == N - 1)
            && u_dut.key_q.eligible && u_dut.key == key[i];
      end
      for (int j = 0; j < N; j++) begin
        if (age_q >= 4'(j + 5) && best == 7'(i)
            && (key[j] < key[i] || (key[j] == key[i] && j < i) || u_dut.least_q != key[i]
            || age_q < 4'(i + 5))) begin
          least_right = 1'b0;
        end
      end
    end
    if (age_q >= 4'd5 && best >= 7'(N)) least_right = 1'b0;
  end

  logic [7:0] counted;
  assign counted = age_q < 4'd3 ? 8'd0 : age_q < 4'(N + 3) ? 8'(age_q) - 8'd2 : 8'(N);
  `KUMI_ASSERT(i_age, !busy_q || age_q < 4'(N + 5))
  `KUMI_ASSERT(i_done, done == (busy_q && age_q == 4'(N + 4)))
  `KUMI_ASSERT(i_on_time, !busy_q || on_time)
  `KUMI_ASSERT(i_read, !busy_q || read_right)
  `KUMI_ASSERT(i_part, !busy_q || part_right)
  `KUMI_ASSERT(i_sum, !busy_q || sum_right)
  `KUMI_ASSERT(i_key, !busy_q || key_right)
  `KUMI_ASSERT(i_least, !busy_q || least_right)
  `KUMI_ASSERT(i_scatter, !SINGLE || u_q == '0)
  `KUMI_ASSERT(
      i_counts,
      !busy_q || (with_space == counted && available_count == counted && space == 40'(counted)))

  `KUMI_COVER(c_slow,
              done && best == 7'(watched_q) && cost_q[watched_q] == 2'd3 && base_q[watched_q] != 0)
endmodule
