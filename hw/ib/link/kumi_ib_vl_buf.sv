// SPDX-License-Identifier: Apache-2.0
//
// Packet buffer with a ring per virtual lane in one memory, counted in blocks of 64 bytes as the
// credits of a link are (IBTA volume 1, clause 7.9).
//
// in_*: packets without back-pressure; in_last with in_good commits one, else it leaves no trace,
//   nor does one of a single beat or one that a new in_first interrupts. Its ring is full: ev_full
//   with in_last, and dropped; the user keeps to the credits or to `free`. A packet of n words
//   takes n / 16 + 1 blocks (its VCRC counts). commit_*: pulse for each packet kept.
// free[r]: blocks that are free. head_*[r]: the oldest packet of the ring and its length in words.
// Read: with rd_start (only with rd_ready and head_valid[rd_ring]) the head of the ring leaves at
//   m_axis, tdest its ring, tid its blocks; the next head shows 2 cycles later if it is there. Each
//   block is free when all of it has been read. Packets leave back to back if rd_start is given
//   with rd_ready.
// Latency rd_start to m_axis 3 cycles; commit to head_valid 3 cycles; one beat a cycle.
module kumi_ib_vl_buf
  import kumi_ib_link_pkg::blocks_of;
#(
    parameter  int WORDS  = 2,                  // words of 4 bytes per beat, 1 or 2
    parameter  int RINGS  = 5,
    parameter  int BLOCKS = 64,                 // of each ring, a power of two
    localparam int RING_W = $clog2(RINGS),
    localparam int FREE_W = $clog2(BLOCKS) + 1
) (
    input logic clk,
    input logic rst,
    input logic in_valid,
    input logic [WORDS-1:0][31:0] in_data,
    input logic in_half,
    input logic in_first,
    input logic in_last,
    input logic in_keep,
    input logic in_good,
    input logic [RING_W-1:0] in_ring,
    output logic ev_full,
    output logic commit_valid,
    output logic [RING_W-1:0] commit_ring,
    output logic [6:0] commit_blocks,
    output logic [RINGS-1:0][FREE_W-1:0] free,
    output logic [RINGS-1:0] head_valid,
    output logic [RINGS-1:0][10:0] head_len,
    input logic rd_start,
    input logic [RING_W-1:0] rd_ring,
    output logic rd_ready,
    kumi_axis_if.src m_axis
);
  localparam int BLK_W = FREE_W - 1;
  localparam int BEATS = 16 / WORDS;  // per block
  localparam int BEAT_W = $clog2(BEATS);
  localparam int DATA_W = 32 * WORDS;

  if (BLOCKS < 4 || BLOCKS > 1024 || (BLOCKS & (BLOCKS - 1)) != 0) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be a power of two, 4..1024 (%m)");
  end
  if (m_axis.DATA_W != DATA_W || m_axis.DEST_W < RING_W || m_axis.ID_W < 7) begin : gen_check_if
    $fatal(0, "m_axis must have DATA_W 32 * WORDS, DEST_W for the rings and ID_W 7 (%m)");
  end

  // Block numbers with a wrap bit: written to, next to be shown as head, and freed up to.
  logic [RINGS-1:0][FREE_W-1:0] wr_q, next_q, rd_q;
  logic [RINGS-1:0][FREE_W-1:0] free_q;

  assign free = free_q;

  // BLOCKS + rd - wr - more, with one carry chain: -x is ~x + 1, and BLOCKS inverts the wrap bit.
  function automatic logic [FREE_W-1:0] left_of(
      input logic [FREE_W-1:0] rd, input logic [FREE_W-1:0] wr, input logic [FREE_W-1:0] more);
    logic [FREE_W-1:0] a, sum;
    logic [BLK_W-1:0] carry;
    a = {~rd[BLK_W], rd[BLK_W-1:0]};
    sum = a ^ wr ^ more;  // two inversions
    carry = BLK_W'((a & ~wr) | (a & ~more) | (~wr & ~more));
    return sum + {carry, 1'b1} + 1'b1;
  endfunction

  // ---- Write ------------------------------------------------------------------------------------
  logic [10:0] count_q, pos, count;
  logic
      lost_q, lost_now, lost, more_fits_q;  // more_fits_q: there is a block behind the one at hand
  logic [FREE_W-1:0] wr_blk;
  logic [6:0] so_far_q, beyond_q;  // blocks_of(count_q), and one more
  logic crosses, write, commit;

  assign pos = in_first ? '0 : count_q;
  assign count = pos + (in_half || WORDS == 1 ? 11'd1 : 11'd2);
  assign wr_blk = wr_q[in_ring] + FREE_W'(pos[10:4]);
  assign lost_now = lost_q || !(pos[4] == count[4] || more_fits_q);  // but for a first beat
  assign lost = in_first ? free_q[in_ring] == '0 : lost_now;
  assign write = in_valid && in_keep && !lost;
  assign commit = in_valid && in_last && !in_first && in_keep && in_good && !lost_now;
  assign commit_valid = commit;
  assign commit_ring = in_ring;
  // blocks_of(count), from what it was a beat ago.
  assign crosses = count_q[3:1] == '1 && (count_q[0] || !(in_half || WORDS == 1));
  assign commit_blocks = in_first ? 7'd1 : crosses ? beyond_q : so_far_q;
  assign ev_full = in_valid && in_last && !in_first && in_keep && in_good && lost_now;

  always_ff @(posedge clk) begin
    if (in_valid) begin
      count_q     <= count;
      lost_q      <= lost;
      so_far_q    <= commit_blocks;
      beyond_q    <= in_first ? 7'd2 : crosses ? beyond_q + 1'b1 : beyond_q;
      more_fits_q <= free_q[in_ring] != FREE_W'(commit_blocks);
    end
  end

  // ---- Lengths, and the heads of the rings ------------------------------------------------------
  logic [RINGS-1:0] want, head_q, fetch;
  logic fetch_q;
  logic [RING_W-1:0] fetch_ring, fetch_ring_q;
  logic [RINGS-1:0][10:0] head_len_q;
  logic [10:0] fetched;

  // The next head is fetched in the cycle in which one begins to leave.
  logic follows, fetch_now;
  logic [FREE_W-1:0] after_head;
  logic [RINGS-1:0][FREE_W-1:0] after_q;  // next_q behind the head of each ring
  assign after_head = after_q[rd_ring];
  assign follows = rd_start && wr_q[rd_ring] != after_head;
  assign fetch_now = follows || want != '0;

  for (genvar r = 0; r < RINGS; r++) begin : gen_want
    assign want[r] = !head_q[r] && wr_q[r] != next_q[r] && !(fetch_q && fetch_ring_q == RING_W'(r));
  end
  assign fetch = want & (~want + 1'b1);
  always_comb begin
    fetch_ring = '0;
    for (int r = 0; r < RINGS; r++) begin
      if (fetch[r]) fetch_ring |= RING_W'(r);
    end
  end

  kumi_ram_sdp #(
      .W(11),
      .DEPTH(RINGS * BLOCKS),
      .STYLE(2)
  ) u_lens (
      .clk,
      .wr_en(commit),
      .wr_addr({in_ring, wr_q[in_ring][BLK_W-1:0]}),
      .wr_data(count),
      .rd_en(fetch_now),
      .rd_addr(follows ? {rd_ring, after_head[BLK_W-1:0]} :
               {fetch_ring, next_q[fetch_ring][BLK_W-1:0]}),
      .rd_data(fetched)
  );

  assign head_valid = head_q;
  assign head_len   = head_len_q;

  // ---- Read -------------------------------------------------------------------------------------
  logic busy_q, issue, final_beat, space;
  logic [RING_W-1:0] ring_q;
  logic [10:0] left_q, taken_q;  // words
  logic [FREE_W-1:0] start_q;
  logic [6:0] blocks_q;
  logic [FREE_W-1:0] rd_blk;
  logic [3:0] fifo_depth;

  assign rd_blk = start_q + FREE_W'(taken_q[10:4]);
  assign space = fifo_depth < 4'd5;
  assign issue = busy_q && space;
  assign final_beat = left_q[10:2] == '0 && left_q[1:0] <= 2'(WORDS);  // spares a carry chain
  assign rd_ready = !busy_q || (issue && final_beat);

  always_ff @(posedge clk) begin
    fetch_q <= fetch_now;
    fetch_ring_q <= follows ? rd_ring : fetch_ring;
    if (commit) wr_q[in_ring] <= wr_q[in_ring] + FREE_W'(commit_blocks);
    if (fetch_q) begin
      head_q[fetch_ring_q] <= 1'b1;
      head_len_q[fetch_ring_q] <= fetched;
      after_q[fetch_ring_q] <= next_q[fetch_ring_q] + FREE_W'(fetched[10:4]) + 1'b1;
    end
    if (issue) begin
      left_q <= left_q - 11'(WORDS);
      taken_q <= taken_q + 11'(WORDS);
      rd_q[ring_q] <= final_beat ? start_q + FREE_W'(blocks_q) : rd_blk;
      if (final_beat) busy_q <= 1'b0;
    end
    if (rd_start) begin
      busy_q <= 1'b1;
      ring_q <= rd_ring;
      left_q <= head_len_q[rd_ring];
      taken_q <= '0;
      start_q <= next_q[rd_ring];
      blocks_q <= blocks_of(head_len_q[rd_ring]);
      next_q[rd_ring] <= after_head;
      head_q[rd_ring] <= 1'b0;
    end
    for (int r = 0; r < RINGS; r++) begin
      free_q[r] <=
          left_of(rd_q[r], wr_q[r], commit && in_ring == RING_W'(r) ? FREE_W'(commit_blocks) : '0);
    end
    if (rst) begin
      fetch_q <= 1'b0;
      head_q  <= '0;
      busy_q  <= 1'b0;
      wr_q    <= '0;
      next_q  <= '0;
      rd_q    <= '0;
      free_q  <= {RINGS{FREE_W'(BLOCKS)}};
    end
  end

  // ---- Memory and output ------------------------------------------------------------------------
  logic read_q, read_last_q, read_half_q;
  logic [RING_W-1:0] read_ring_q;
  logic [6:0] read_blocks_q;
  logic [DATA_W-1:0] read_data;

  always_ff @(posedge clk) begin
    read_q        <= issue && !rst;
    read_last_q   <= final_beat;
    read_half_q   <= left_q < 11'(WORDS);
    read_ring_q   <= ring_q;
    read_blocks_q <= blocks_q;
  end

  kumi_ram_sdp #(
      .W(DATA_W),
      .DEPTH(RINGS * BLOCKS * BEATS),
      .STYLE(1)
  ) u_mem (
      .clk,
      .wr_en  (write),
      .wr_addr({in_ring, wr_blk[BLK_W-1:0], pos[3:4-BEAT_W]}),
      .wr_data(in_data),
      .rd_en  (issue),
      .rd_addr({ring_q, rd_blk[BLK_W-1:0], taken_q[3:4-BEAT_W]}),
      .rd_data(read_data)
  );

  logic half, fifo_ready;
  logic [RING_W-1:0] out_ring;
  logic [6:0] out_blocks;

  kumi_fifo_bypass #(
      .W(DATA_W + 2 + RING_W + 7),
      .DEPTH(8)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({read_blocks_q, read_ring_q, read_half_q, read_last_q, read_data}),
      .s_valid(read_q),
      .s_ready(fifo_ready),
      .m_data ({out_blocks, out_ring, half, m_axis.tlast, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready),
      .depth  (fifo_depth)
  );
  assign m_axis.tuser = '0;
  assign m_axis.tdest = (m_axis.DEST_W)'(out_ring);
  assign m_axis.tid   = (m_axis.ID_W)'(out_blocks);
  assign m_axis.tkeep = half ? (m_axis.KEEP_W)'(4'hF) : '1;

  logic unused;
  assign unused = ^{fifo_ready, wr_blk, rd_blk};
endmodule
