// SPDX-License-Identifier: Apache-2.0
//
// Frame FIFO between two clocks: a frame becomes visible as a whole when it is committed, or not at
// all. Gray-coded counters as in kumi_axis_async_fifo, but with STORE = 1 the number of frames
// crosses, so a single Gray-code step publishes a frame of any length.
//
// Write side (w_clk): a word moves with w_en and w_ready. w_commit comes with the last word or
//   later, once per frame; with w_bad the frame is rolled back (STORE = 1) or marked bad (STORE =
//   0). w_meta must be stable from the first word of a frame to its last. The word after w_last
//   belongs to the next frame and must follow the commit.
// DROP = 1: w_ready is always high; a frame that does not fit is dropped, and w_lost is high with
//   its w_commit. DROP = 0: w_ready goes low instead; a frame must fit into DEPTH words.
// STORE = 0: cut-through; words are visible at once, the last one with the commit. With DROP = 1 a
//   frame that overflows is truncated and marked bad.
// Read side (m_clk): m_last, m_bad (valid with m_last) and m_meta belong to the word; m_meta is
//   stable during a frame.
// Latency: from the committing write to the first word 2 to 3 cycles of m_clk for the counter, one
//   for the memory. Throughput: one word per cycle on both sides; with STORE = 1 a frame is read
//   without gaps at any clock ratio.
// Reset: both sides together for at least 4 cycles of the slower clock.
module kumi_eth_async_frame_fifo #(
    parameter int DATA_W = 256,   // bits of a word
    parameter int META_W = 1,     // sideband bits per frame
    parameter int DEPTH  = 512,   // words, a power of two
    parameter int FRAMES = 64,    // capacity in frames, a power of two
    parameter bit STORE  = 1'b1,  // publish complete frames only
    parameter bit DROP   = 1'b0   // full: 1 drop the frame, 0 stall the writer
) (
    input  logic                        w_clk,
    input  logic                        w_rst,
    input  logic                        w_en,
    output logic                        w_ready,
    input  logic [          DATA_W-1:0] w_data,
    input  logic [$clog2(DATA_W/8)-1:0] w_count,   // bytes of a last word, 0 for all
    input  logic                        w_last,
    input  logic                        w_commit,
    input  logic                        w_bad,
    input  logic [          META_W-1:0] w_meta,
    output logic                        w_lost,    // the frame that ends now has overflowed
    input  logic                        m_clk,
    input  logic                        m_rst,
    output logic [          DATA_W-1:0] m_data,
    output logic [$clog2(DATA_W/8)-1:0] m_count,
    output logic                        m_last,
    output logic                        m_bad,
    output logic [          META_W-1:0] m_meta,
    output logic                        m_valid,
    input  logic                        m_ready
);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam int FRAME_W = $clog2(FRAMES);
  localparam int COUNT_W = $clog2(DATA_W / 8);
  localparam int PUB_W = STORE ? FRAME_W + 1 : ADDR_W + 1;  // publishes words or frames

  if (FRAMES < 4 || (FRAMES & (FRAMES - 1)) != 0) begin : gen_check_frames
    $fatal(0, "FRAMES must be a power of two, at least 4 (%m)");
  end
  if (DEPTH < 4 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, at least 4 (%m)");
  end

  typedef logic [ADDR_W:0] eth_async_frame_fifo_word_t;
  typedef logic [FRAME_W:0] frame_t;
  typedef logic [PUB_W-1:0] pub_t;

  function automatic eth_async_frame_fifo_word_t word_binary(input eth_async_frame_fifo_word_t g);
    eth_async_frame_fifo_word_t x;
    x = g;
    for (int i = ADDR_W - 1; i >= 0; i--) x[i] = x[i+1] ^ g[i];
    return x;
  endfunction

  function automatic frame_t frame_binary(input frame_t g);
    frame_t x;
    x = g;
    for (int i = FRAME_W - 1; i >= 0; i--) x[i] = x[i+1] ^ g[i];
    return x;
  endfunction

  // ---- Write side -------------------------------------------------------------------------------
  eth_async_frame_fifo_word_t
      wr_q, start_q, wr_next, free_q, rd_gray_w;  // start_q: start of the incoming frame
  frame_t frames_q, gone_q, gone_gray_w;  // frames committed, frames read
  pub_t pub_q, pub_next, pub_gray_q;
  logic full, no_slot, can, push, act, commit, cut, word_last;

  assign full    = wr_q == (free_q ^ {1'b1, {ADDR_W{1'b0}}});
  assign no_slot = frames_q == (gone_q ^ {1'b1, {FRAME_W{1'b0}}});

  if (DROP) begin : gen_drop
    eth_async_frame_fifo_word_t wr_one;
    logic lost_q;  // the incoming frame has overflowed
    always_ff @(posedge w_clk) begin
      if (act) lost_q <= 1'b0;
      else if ((w_en && !can) || cut) lost_q <= 1'b1;
      if (w_rst) lost_q <= 1'b0;
    end
    assign wr_one  = wr_q + 1'b1;
    assign w_ready = 1'b1;
    assign can     = !full && !lost_q && !no_slot;
    assign cut     = !STORE && push && !w_last && wr_one == (free_q ^ {1'b1, {ADDR_W{1'b0}}});
    assign act     = w_commit;
    assign w_lost  = lost_q || (w_en && !can);
  end else begin : gen_stall
    assign w_ready = !full && !no_slot;
    assign can     = w_ready;
    assign cut     = 1'b0;
    assign act     = w_commit && (!w_en || w_ready);
    assign w_lost  = 1'b0;
  end

  assign push      = w_en && can;
  assign word_last = w_last || cut;
  assign wr_next   = wr_q + eth_async_frame_fifo_word_t'(push);

  if (STORE) begin : gen_store
    assign commit   = act && !w_bad && !w_lost;
    assign pub_next = pub_q + pub_t'(commit);
  end else begin : gen_through
    logic part_q;  // words of the incoming frame have been published
    always_ff @(posedge w_clk) begin
      if (act || cut) part_q <= 1'b0;
      else if (push) part_q <= 1'b1;
      if (w_rst) part_q <= 1'b0;
    end
    assign commit   = cut || (act && !w_lost && (part_q || push));
    assign pub_next = pub_q + pub_t'((push && !word_last) || commit);
  end

  always_ff @(posedge w_clk) begin
    wr_q <= STORE && act && !commit ? start_q : wr_next;
    if (commit) begin
      start_q  <= wr_next;
      frames_q <= frames_q + 1'b1;
    end
    pub_q      <= pub_next;
    pub_gray_q <= pub_next ^ (pub_next >> 1);
    free_q     <= word_binary(rd_gray_w);
    gone_q     <= frame_binary(gone_gray_w);
    if (w_rst) begin
      wr_q       <= '0;
      start_q    <= '0;
      frames_q   <= '0;
      pub_q      <= '0;
      pub_gray_q <= '0;
      free_q     <= '0;
      gone_q     <= '0;
    end
  end

  // ---- Read side --------------------------------------------------------------------------------
  eth_async_frame_fifo_word_t rd_q, rd_gray_q, rd_next;
  frame_t out_q, out_gray_q, out_next;
  pub_t pub_gray_m;
  logic avail, take;

  assign rd_next  = rd_q + eth_async_frame_fifo_word_t'(take);
  assign out_next = out_q + frame_t'(m_valid && m_ready && m_last);

  always_ff @(posedge m_clk) begin
    rd_q       <= rd_next;
    rd_gray_q  <= rd_next ^ (rd_next >> 1);
    out_q      <= out_next;
    out_gray_q <= out_next ^ (out_next >> 1);
    if (m_rst) begin
      rd_q       <= '0;
      rd_gray_q  <= '0;
      out_q      <= '0;
      out_gray_q <= '0;
    end
  end

  // Per frame: its end address (STORE) or its bad flag, and its sideband bits.
  (* ram_style = "distributed", no_rw_check *) logic [META_W-1:0] meta[FRAMES];

  always_ff @(posedge w_clk) begin
    if (push) meta[frames_q[FRAME_W-1:0]] <= w_meta;
  end
  assign m_meta = meta[out_q[FRAME_W-1:0]];

  if (STORE) begin : gen_ends
    (* ram_style = "distributed", no_rw_check *) logic [ADDR_W:0] ends[FRAMES];
    eth_async_frame_fifo_word_t end_q;
    frame_t begun_q, begun_gray_q, begun_next;
    logic at_end, start;

    always_ff @(posedge w_clk) begin
      if (commit) ends[frames_q[FRAME_W-1:0]] <= wr_next;
    end

    // A frame has at least one word, so its first word is read while end_q is loaded.
    assign at_end     = rd_q == end_q;
    assign avail      = !at_end || pub_gray_m != begun_gray_q;
    assign start      = take && at_end;
    assign begun_next = begun_q + frame_t'(start);
    assign m_bad      = 1'b0;

    always_ff @(posedge m_clk) begin
      if (start) end_q <= ends[begun_q[FRAME_W-1:0]];
      begun_q      <= begun_next;
      begun_gray_q <= begun_next ^ (begun_next >> 1);
      if (m_rst) begin
        end_q        <= '0;
        begun_q      <= '0;
        begun_gray_q <= '0;
      end
    end
  end else begin : gen_words
    (* ram_style = "distributed", no_rw_check *) logic bads[FRAMES];

    always_ff @(posedge w_clk) begin
      if (commit) bads[frames_q[FRAME_W-1:0]] <= w_bad || cut;
    end
    assign m_bad = m_last && bads[out_q[FRAME_W-1:0]];
    assign avail = pub_gray_m != rd_gray_q;
  end

  // ---- Crossing and memory ----------------------------------------------------------------------
  kumi_cdc_sync #(
      .W(PUB_W)
  ) u_sync_pub (
      .clk(m_clk),
      .d  (pub_gray_q),
      .q  (pub_gray_m)
  );

  kumi_cdc_sync #(
      .W(ADDR_W + 1)
  ) u_sync_rd (
      .clk(w_clk),
      .d  (rd_gray_q),
      .q  (rd_gray_w)
  );

  kumi_cdc_sync #(
      .W(FRAME_W + 1)
  ) u_sync_out (
      .clk(w_clk),
      .d  (out_gray_q),
      .q  (gone_gray_w)
  );

  kumi_fifo_ram #(
      .W(1 + COUNT_W + DATA_W),
      .DEPTH(DEPTH),
      .STYLE(DEPTH <= 64 ? 0 : 2)
  ) u_mem (
      .wr_clk(w_clk),
      .wr_en(push),
      .wr_addr(wr_q[ADDR_W-1:0]),
      .wr_data({word_last, w_count & {COUNT_W{!cut}}, w_data}),
      .clk(m_clk),
      .rst(m_rst),
      .rd_avail(avail),
      .rd_addr(rd_q[ADDR_W-1:0]),
      .rd_take(take),
      .m_data({m_last, m_count, m_data}),
      .m_valid,
      .m_ready
  );
endmodule
