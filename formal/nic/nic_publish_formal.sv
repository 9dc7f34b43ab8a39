// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_nic_publish: each used chain is published once, in its order, at its place and
// with what belongs to it, and nothing else is written; the driver sees of a packet all chains or
// none, and no chain before its entry is in memory.
//
// The first 3 chains of a queue, of which two come at once and the third at any time; split with 4
// entries, or packed with 3 descriptors and chains of one or two, so that places wrap. Lengths and
// which chains belong to one packet are any. A write may be seen from the moment on at which it is
// given to memory, and is in memory for sure when it is acknowledged, at any time later. Memory takes
// what it is given, and answers without errors. Beats of 256 bits, sets of at most 2 chains, 2 sets
// under way; the rings do not lie at multiples of a beat. Bounded to the cycles in the options.
`include "kumi_assert.svh"
module nic_publish_formal
  import kumi_nic_pkg::*;
#(
    parameter bit PACKED = 0
) (
    input logic clk,
    input logic rst,
    input logic used_valid,
    input logic used_two,
    input logic used_more,
    input logic [1:0] used_length,
    input logic ack_valid,
    input logic r_valid
);
  localparam int DATA_W = 256;
  localparam int BYTES = DATA_W / 8;
  localparam int OPEN = 4;  // writes under way
  localparam int TAG_W = 1 + 2 + $bits(nic_mark_t);
  localparam logic [15:0] SIZE = PACKED ? 16'd3 : 16'd4;
  localparam logic [63:0] DESC = 64'h1010;
  localparam logic [63:0] DEVICE = 64'h2014;

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);

  // ---- the unit ------------------------------------------------------------------------------
  logic start_ready, start_take, look, notify_look, busy, done_valid, done_queue, used_ready;
  logic ar_valid, post_valid, irq_valid, irq_queue, fault_valid, fault_queue;
  logic [1:0] working;
  logic runs_q;
  logic [15:0] next_index;
  logic [63:0] ar_addr, post_addr;
  logic [DATA_W-1:0] post_data;
  logic [ BYTES-1:0] post_strb;
  logic [TAG_W-1:0] post_tag, ack_tag;
  nic_queue_t ring;
  nic_used_t used;
  logic [2:0] given_q;  // chains of the watched queue so far

  logic start_valid, post_ready;

  assign ring = '{desc: DESC, driver: 64'h3004, device: DEVICE, size: SIZE};
  assign used = '{
          vq: '0,
          head: 16'(given_q) + 16'd8,
          descs: PACKED ? 6'(used_two) : '0,
          length: 32'(used_length),
          more: used_more
      };

  kumi_nic_publish #(
      .DATA_W (DATA_W),
      .QUEUES (2),
      .BATCHES(2),
      .CHAINS (2)
  ) u_dut (
      .clk,
      .rst,
      .packed_ring(PACKED),
      .event_idx(1'b1),
      .coal('0),
      .start_valid,
      .start_ready,
      .start_take,
      .start_queue(1'b0),
      .start_index({PACKED, 15'd0}),
      .look,
      .ring,
      .notify_look,
      .notify_size(SIZE),
      .next_queue(1'b0),
      .next_index,
      .working,
      .busy,
      .done_valid,
      .done_queue,
      .s_valid(used_valid),
      .s_ready(used_ready),
      .s_used(used),
      .ar_valid,
      .ar_ready(1'b1),
      .ar_addr,
      .r_valid,
      .r_data('0),
      .r_resp('0),
      .post_valid,
      .post_ready(post_ready),
      .post_addr,
      .post_data,
      .post_strb,
      .post_tag,
      .ack_valid,
      .ack_bad(1'b0),
      .ack_tag,
      .irq_valid,
      .irq_ready(1'b1),
      .irq_queue,
      .fault_valid,
      .fault_queue
  );
  assign start_valid = !runs_q;
  assign start_take  = start_valid && start_ready;

  // ---- chains that come ----------------------------------------------------------------------
  logic mine;
  logic [3:0][1:0] length_q;
  logic [3:0] two_q, more_q;
  logic [3:0][2:0] place_q;  // of each chain, in descriptors since the first one
  logic [2:0] place_next_q, seen_place;
  assign mine = used_valid && used_ready;

  always_ff @(posedge clk) begin
    if (start_take) runs_q <= 1'b1;
    if (mine) begin
      given_q <= given_q + 1'b1;
      length_q[given_q[1:0]] <= used_length;
      two_q[given_q[1:0]] <= used_two;
      more_q[given_q[1:0]] <= used_more;
      place_q[given_q[1:0]] <= place_next_q;
      place_next_q <= place_next_q + 3'd1 + 3'(used_two);
    end
    if (rst) begin
      runs_q <= 1'b0;
      given_q <= '0;
      place_next_q <= '0;
      two_q <= '0;
      more_q <= '0;
    end
  end
  `KUMI_ASSUME(a_used, !used_valid || (runs_q && given_q < 3'd3))
  // Two chains come at once, the third at any time.
  `KUMI_ASSUME(a_begin, used_valid || !runs_q || given_q >= 3'd2)
  // There are no more descriptors than the ring has, until the driver sees used ones.
  `KUMI_ASSUME(a_ring,
               !mine || 3'(place_next_q - seen_place) + 3'd1 + 3'(PACKED && used_two) <= SIZE[2:0])

  // ---- memory --------------------------------------------------------------------------------
  // Of each write: which chains' entries it has (low and high word), or the index.
  logic [3:0] low, high, posted_low_q, posted_high_q, acked_low_q, acked_high_q;
  logic [3:0] right_low, right_high, visible;
  logic [OPEN-1:0][7:0] open_what_q;
  logic [OPEN-1:0][TAG_W-1:0] open_tag_q;
  logic [2:0] open_q, reads_q, index_q;
  logic moves, shows_index, stray;
  logic [BYTES-1:0] explained;

  assign post_ready = open_q < 3'(OPEN);
  assign moves = post_valid && post_ready;
  always_comb begin
    low = '0;
    high = '0;
    right_low = '1;
    right_high = '1;
    explained = '0;
    shows_index = 1'b0;
    for (int w = 0; w < BYTES / 4; ++w) begin
      logic [15:0] at;
      at = {post_addr[15:5], 3'(w), 2'b00};
      for (int k = 0; k < 4; ++k) begin
        logic [15:0] entry;
        logic [2:0] pos;
        logic wrap;
        wrap = place_q[k] < 3'd3 || place_q[k] == 3'd6 || place_q[k] == 3'd7;
        pos = place_q[k] < 3'd3 ? place_q[k] : place_q[k] < 3'd6 ? place_q[k] - 3'd3 :
            place_q[k] - 3'd6;
        entry = PACKED ? DESC[15:0] + {9'd0, pos, 4'd8} : DEVICE[15:0] + 16'(8 * k + 4);
        // Of entries at the same place the chain is meant that is not written yet.
        if (3'(k) < given_q && post_strb[4*w] && at == entry && (!posted_low_q[k] || !PACKED)) begin
          low[k] = 1'b1;
          explained[4*w+:4] = '1;
          right_low[k] = post_strb[4*w+:4] == '1 && post_data[32*w+:32] ==
              (PACKED ? 32'(length_q[k]) : 32'(k) + 32'd8);
        end
        if (3'(k) < given_q && post_strb[4*w] && at == entry + 16'd4 &&
            (!posted_high_q[k] || !PACKED)) begin
          high[k] = 1'b1;
          explained[4*w+:4] = '1;
          right_high[k] = post_strb[4*w+:4] == '1 && post_data[32*w+:32] == (PACKED ? {
            wrap, 7'd0, wrap, 5'd0, length_q[k] != '0, 1'b0, 16'(k) + 16'd8
          } : 32'(length_q[k]));
        end
      end
      if (!PACKED && post_strb[4*w+2] && at + 16'd2 == DEVICE[15:0] + 16'd2) begin
        shows_index = 1'b1;
      end
    end
  end

  logic [15:0] index_word;
  assign index_word = post_data[16*(DEVICE[4:1]+4'd1)+:16];
  assign stray = |(post_strb & ~explained) &&
      !(shows_index && post_strb == BYTES'(3) << (DEVICE[4:0] + 5'd2));

  always_ff @(posedge clk) begin
    if (moves) begin
      open_tag_q[open_q[1:0]-2'(ack_valid)]  <= post_tag;
      open_what_q[open_q[1:0]-2'(ack_valid)] <= {high, low};
    end
    if (ack_valid) begin
      for (int i = 0; i < OPEN - 1; ++i) begin
        if (!(moves && open_q[1:0] - 2'd1 == 2'(i))) begin
          open_tag_q[i]  <= open_tag_q[i+1];
          open_what_q[i] <= open_what_q[i+1];
        end
      end
      acked_low_q  <= acked_low_q | open_what_q[0][3:0];
      acked_high_q <= acked_high_q | open_what_q[0][7:4];
    end
    open_q <= open_q + 3'(moves) - 3'(ack_valid);
    if (moves) begin
      posted_low_q  <= posted_low_q | low;
      posted_high_q <= posted_high_q | high;
      if (shows_index) index_q <= index_word[2:0];
    end
    reads_q <= reads_q + 3'(ar_valid) - 3'(r_valid);
    if (rst) begin
      open_q <= '0;
      reads_q <= '0;
      index_q <= '0;
      posted_low_q <= '0;
      posted_high_q <= '0;
      acked_low_q <= '0;
      acked_high_q <= '0;
    end
  end
  assign ack_tag = open_tag_q[0];
  `KUMI_ASSUME(a_ack, !ack_valid || open_q != '0)
  `KUMI_ASSUME(a_read, !r_valid || reads_q != '0)

  // What the driver can see, at the earliest.
  always_comb begin
    seen_place = '0;
    for (int k = 0; k < 4; ++k) begin
      visible[k] = PACKED ? posted_high_q[k] && (k == 0 || visible[k-1]) : index_q > 3'(k);
      if (visible[k]) seen_place = place_q[k] + 3'd1 + 3'(two_q[k]);
    end
  end

  // ---- what holds ----------------------------------------------------------------------------
  for (genvar k = 0; k < 4; ++k) begin : gen_chain
    `KUMI_ASSERT(p_right, !(moves) || (right_low[k] && right_high[k]))
    `KUMI_ASSERT(p_once,
                 !(moves) || !((low[k] && posted_low_q[k]) || (high[k] && posted_high_q[k])))
    `KUMI_ASSERT(p_memory, PACKED || !visible[k] || (acked_low_q[k] && acked_high_q[k]))
    if (k < 3) begin : gen_packet
      `KUMI_ASSERT(p_whole, !(visible[k] && more_q[k]) || (acked_low_q[k+1] && acked_high_q[k+1]))
    end
  end
  `KUMI_ASSERT(p_stray, !(moves) || !stray)
  `KUMI_ASSERT(
      p_index,
      !(moves && shows_index) || (index_word[15:3] == '0 && index_word[2:0] > index_q && index_word[2:0] <= given_q))
  `KUMI_ASSERT(p_no_fault, !fault_valid)
  `KUMI_COVER(c_shown, visible[0])


  logic unused;
  assign unused = ^{ar_addr, busy, done_valid, done_queue, working, next_index, irq_queue,
                    fault_queue, look, notify_look};
endmodule
