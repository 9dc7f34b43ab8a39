// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_line_cache with two sets and four lines of two words: a word that is read is the one
// that was written last, for any order of requests, writes and hints, at any latency of memory and
// with any of its errors. A line is never read while it is being written back.
//
// One bit of one word is watched, chosen freely. Assumed: memory answers what it was asked, a word
// is written only to a line that is there as the header of the unit demands, requests are held.
// Not part of it: fresh, inv and clear, after which contents are others by intent.
`include "kumi_assert.svh"
module line_cache_formal (
    input logic       clk,
    input logic       rst,
    input logic       req,
    input logic       we,
    input logic       give_up,
    input logic       set,
    input logic       tag,
    input logic       word,
    input logic [7:0] wdata,
    input logic       hint,
    input logic       hint_set,
    input logic       hint_tag,
    input logic       awready,
    input logic       wready,
    input logic       bvalid,
    input logic       arready,
    input logic       rvalid,
    input logic [7:0] rdata,
    input logic       berror,
    input logic       rerror,
    input logic       noise,
    input logic [2:0] start_place,
    input logic       start_bit
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Watched: a word of a line.
  logic w_set, w_tag, w_word, start_q;
  always_ff @(posedge clk) begin
    if (!started_q) {w_set, w_tag, w_word, start_q} <= {start_place, start_bit};
  end

  kumi_axi_if #(
      .DATA_W(8),
      .ADDR_W(8)
  ) memory ();
  logic at_set, at_tag, done, bad, hold, quiet;
  logic [7:0] got;
  kumi_line_cache #(
      .SETS  (2),
      .TAG_W (1),
      .ADDR_W(8),
      .WORDS (2),
      .WORD_W(8)
  ) u_dut (
      .clk,
      .rst,
      .clear(1'b0),
      .quiet,
      .req,
      .fresh(1'b0),
      .we,
      .inv(1'b0),
      .set,
      .tag,
      .word,
      .wdata,
      .done,
      .bad,
      .rdata(got),
      .hold,
      .hint,
      .hint_set,
      .hint_tag,
      .at_set,
      .at_tag,
      .at_line({5'd0, at_tag, at_set}),
      .m_axi(memory)
  );
  localparam int CLEAR = 0, READY = 1, LOOK = 2, LOOK_HINT = 3, LOOK_PLACE = 4, MISS = 5,
      VICTIM = 6, MOVE = 7, SEND = 8, FINISH = 9, FAILED = 11;

  // ---- the user -------------------------------------------------------------------------------
  // own: the line of a set that may be written, from its read until the user gives up.
  logic [1:0] own_q, own_tag_q;
  logic asks_q, last_set_q, last_tag_q, last_word_q;
  assign hold = own_q != '0;
  always_ff @(posedge clk) begin
    asks_q <= req && !done;
    {last_set_q, last_tag_q, last_word_q} <= {set, tag, word};
    if (give_up && !req && !we) own_q <= '0;
    if (req && own_tag_q[set] != tag) own_q[set] <= 1'b0;
    if (req && done) begin
      own_q[set] <= !bad;
      own_tag_q[set] <= tag;
    end
    if (rst) begin
      own_q  <= '0;
      asks_q <= 1'b0;
    end
  end
  `KUMI_ASSUME(u_held,
               !asks_q || (req && {set, tag, word} == {last_set_q, last_tag_q, last_word_q}))
  `KUMI_ASSUME(u_write, !we || (!req && own_q[set] && own_tag_q[set] == tag))

  logic asked_it, value_q, stored_q;
  assign asked_it = {set, tag, word} == {w_set, w_tag, w_word};
  always_ff @(posedge clk) begin
    if (!started_q) value_q <= start_bit;
    else if (rst) value_q <= stored_q;  // what was not written back is lost
    else if (we && asked_it) value_q <= wdata[0];
  end
  `KUMI_ASSERT(a_read, !(req && done && !bad && asked_it) || got[0] == value_q)

  // ---- memory: the watched bit ----------------------------------------------------------------
  logic sent_q, aw_done_q, w_done_q, w_beat_q, w_line_set_q, w_line_tag_q;
  logic reads_q, r_beat_q, r_set_q, r_tag_q, aw_it, aw_set, aw_tag;
  assign {aw_tag, aw_set} = aw_done_q ? {w_line_tag_q, w_line_set_q} : memory.awaddr[2:1];
  assign aw_it = {aw_set, aw_tag} == {w_set, w_tag};
  assign memory.awready = awready;
  assign memory.wready = wready;
  assign memory.bvalid = bvalid;
  assign memory.bresp = {berror, 1'b0};
  assign memory.bid = '0;
  assign memory.arready = arready;
  assign memory.rvalid = rvalid;
  assign memory.rresp = {rerror, 1'b0};
  assign memory.rid = '0;
  assign memory.rlast = r_beat_q;
  assign memory.rdata = {
    rdata[7:1], {r_set_q, r_tag_q, r_beat_q} == {w_set, w_tag, w_word} ? stored_q : rdata[0]
  };
  `KUMI_ASSUME(m_b, !bvalid || (aw_done_q && w_done_q))
  `KUMI_ASSUME(m_r, !rvalid || reads_q)
  always_ff @(posedge clk) begin
    if (!started_q) stored_q <= start_bit;
    if (memory.awvalid && awready) begin
      aw_done_q <= 1'b1;
      {w_line_tag_q, w_line_set_q} <= memory.awaddr[2:1];
    end
    if (memory.wvalid && wready) begin
      w_beat_q <= !w_beat_q;
      if (w_beat_q) w_done_q <= 1'b1;
      if (w_beat_q == w_word) sent_q <= memory.wdata[0];
    end
    if (bvalid) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      if (aw_it && !rst) stored_q <= berror ? noise : sent_q;
    end
    if (memory.arvalid && arready) begin
      reads_q <= 1'b1;
      r_beat_q <= 1'b0;
      {r_tag_q, r_set_q} <= memory.araddr[2:1];
    end
    if (rvalid) begin
      r_beat_q <= 1'b1;
      if (r_beat_q) reads_q <= 1'b0;
    end
    if (rst) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
      w_beat_q  <= 1'b0;
      reads_q   <= 1'b0;
    end
  end
  `KUMI_ASSERT(a_order,
               !memory.arvalid || !u_dut.writing_q || {aw_tag, aw_set} != memory.araddr[2:1])
  `KUMI_ASSERT(a_one_write, !(memory.awvalid || memory.wvalid) || u_dut.writing_q)
  `KUMI_ASSERT(a_last, !memory.wvalid || memory.wlast == w_beat_q)

  // ---- invariants -----------------------------------------------------------------------------
  logic [3:0] st;
  logic [2:0]
      e, e_line, f_line;  // {valid, dirty, tag} of the watched set, those of line_q, fetch_q
  logic [1:0][2:0] tags;
  logic [3:0][7:0] words;
  logic [1:0][7:0] beats;
  logic [7:0] here;  // the word where the watched one belongs
  logic
      present,
      swap,
      here_swap,
      moved,
      victim,
      writes_it,
      line_is,
      fetch_is,
      l_set,
      l_tag,
      moved_any;
  always_comb begin
    st = u_dut.state_q;
    for (int i = 0; i < 2; i++) tags[i] = u_dut.u_tags.gen_lut.mem[i];
    for (int i = 0; i < 4; i++) words[i] = u_dut.u_words.gen_lut.mem[i];
    for (int i = 0; i < 2; i++) beats[i] = u_dut.u_fill.gen_lut.mem[i];
    {l_set, l_tag} = u_dut.line_q;
    e = tags[w_set];
    e_line = tags[l_set];
    f_line = tags[u_dut.fetch_q.set];
    here = words[{w_set, w_word}];
    present = st != CLEAR && e[2] && e[0] == w_tag;
    swap = st == MOVE || st == SEND || st == FINISH;
    here_swap = swap && l_set == w_set;
    moved_any = st == FINISH || (st == SEND && u_dut.moved_last_q) || u_dut.word_q > w_word;
    moved = here_swap && moved_any;
    victim = here_swap && present;
    writes_it = u_dut.writing_q && aw_it;
    line_is = u_dut.line_q == {w_set, w_tag};
    fetch_is = u_dut.fetch_valid_q && u_dut.fetch_q == {w_set, w_tag};
  end

  `KUMI_ASSERT(i_state, st <= FAILED && st != 10 && !u_dut.fresh_q)
  `KUMI_ASSERT(i_drop, !u_dut.fetch_valid_q || !u_dut.fetch_drop_q)
  `KUMI_ASSERT(
      i_clear,
      st != CLEAR || (!u_dut.fetch_valid_q && !u_dut.writing_q && value_q == stored_q && own_q == '0 && (!u_dut.clear_q || !tags[0][2])))
  // The value: on chip, in memory, or on its way there.
  `KUMI_ASSERT(i_here, u_dut.broken_q || !present || moved || here[0] == value_q)
  `KUMI_ASSERT(i_clean, u_dut.broken_q || !present || e[1] || stored_q == value_q)
  `KUMI_ASSERT(i_away, u_dut.broken_q || present || writes_it || stored_q == value_q)
  `KUMI_ASSERT(i_writes, !writes_it || !present || (victim && u_dut.write_back_q))
  `KUMI_ASSERT(i_written,
               u_dut.broken_q || present || !writes_it || (w_done_q && sent_q == value_q))
  `KUMI_ASSERT(
      i_out,
      u_dut.broken_q || !(victim && moved && u_dut.write_back_q) || (st == SEND && u_dut.moved_last_q == w_word ? u_dut.out_q[0] == value_q : sent_q == value_q))
  // A line that is read ahead or for a request is not on chip.
  `KUMI_ASSERT(i_fetch, !fetch_is || (!present && !writes_it))
  `KUMI_ASSERT(i_fetch_any,
               !u_dut.fetch_valid_q || st == CLEAR || !f_line[2] || f_line[0] != u_dut.fetch_q.tag)
  `KUMI_ASSERT(
      i_fetched,
      u_dut.broken_q || !fetch_is || u_dut.fetch_bad_q || u_dut.fetch_ask_q || !(u_dut.fetched_q || u_dut.beat_q > w_word) || beats[w_word][0] == value_q)
  `KUMI_ASSERT(
      i_in,
      !(st == VICTIM || swap) || (u_dut.fetch_valid_q && u_dut.fetched_q && !u_dut.fetch_bad_q && u_dut.fetch_q == u_dut.line_q))
  `KUMI_ASSERT(i_moved, u_dut.broken_q || !(here_swap && line_is && moved) || here[0] == value_q)
  // Registers of the swap.
  `KUMI_ASSERT(
      i_victim,
      !(st == MISS || st == VICTIM || swap) || (u_dut.victim_q == e_line[0] && u_dut.write_back_q == (e_line[2] && e_line[1]) && !(e_line[2] && e_line[0] == l_tag)))
  `KUMI_ASSERT(
      i_ram,
      !(st == MOVE || (st == SEND && !u_dut.moved_last_q)) || (u_dut.ram_word == words[{l_set, u_dut.word_q}] && u_dut.fill_beat == beats[u_dut.word_q]))
  `KUMI_ASSERT(i_look,
               st != LOOK || (u_dut.entry == tags[set] && u_dut.ram_word == words[{set, word}]))
  `KUMI_ASSERT(i_look_line, !(st == LOOK_HINT || st == LOOK_PLACE) || u_dut.entry == e_line)
  `KUMI_ASSERT(i_look_hint, st != LOOK_HINT || (!u_dut.fetch_valid_q && !u_dut.writing_q))
  `KUMI_ASSERT(
      i_look_place,
      st != LOOK_PLACE || (!u_dut.writing_q && u_dut.fetch_valid_q && u_dut.fetched_q && !u_dut.fetch_bad_q && u_dut.fetch_q == u_dut.line_q))
  `KUMI_ASSERT(i_asks, !(st == LOOK || st == MISS || st == FAILED) || (asks_q && req))
  `KUMI_ASSERT(i_line, !(st == LOOK || st == MISS) || u_dut.line_q == {set, tag})
  `KUMI_ASSERT(i_back, !(st == VICTIM && u_dut.write_back_q) || !u_dut.writing_q)
  // What is on its way.
  `KUMI_ASSERT(i_aw, !u_dut.aw_valid_q || (u_dut.writing_q && !aw_done_q))
  `KUMI_ASSERT(i_writing, !u_dut.writing_q || u_dut.aw_valid_q || aw_done_q)
  `KUMI_ASSERT(i_idle, u_dut.writing_q || (!aw_done_q && !w_done_q && !w_beat_q))
  `KUMI_ASSERT(i_beat, !u_dut.writing_q || (swap && u_dut.write_back_q) || (w_done_q && !w_beat_q))
  `KUMI_ASSERT(
      i_swap_write,
      !(swap && u_dut.write_back_q) || (u_dut.writing_q && {aw_tag, aw_set} == {u_dut.victim_q, l_set}))
  `KUMI_ASSERT(
      i_swap_beat,
      !(swap && u_dut.write_back_q) || (st == FINISH ? w_done_q && !w_beat_q : !w_done_q && w_beat_q == (st == SEND ? u_dut.moved_last_q : u_dut.word_q)))
  `KUMI_ASSERT(i_send, st != SEND || (u_dut.write_back_q && u_dut.word_q == !u_dut.moved_last_q))
  `KUMI_ASSERT(
      i_ask,
      !u_dut.fetch_ask_q || (u_dut.fetch_valid_q && !u_dut.fetched_q && !reads_q && !u_dut.ar_valid_q && (st == MISS || st == READY)))
  `KUMI_ASSERT(
      i_ar,
      !u_dut.ar_valid_q || (u_dut.fetch_valid_q && !u_dut.fetched_q && !reads_q && memory.araddr[2:1] == {u_dut.fetch_q.tag, u_dut.fetch_q.set} && !u_dut.beat_q))
  `KUMI_ASSERT(
      i_reads,
      !reads_q || (u_dut.fetch_valid_q && !u_dut.fetched_q && !u_dut.fetch_ask_q && !u_dut.ar_valid_q && r_beat_q == u_dut.beat_q && {r_tag_q, r_set_q} == {u_dut.fetch_q.tag, u_dut.fetch_q.set}))
  `KUMI_ASSERT(
      i_wait,
      !u_dut.fetch_valid_q || u_dut.fetched_q || u_dut.fetch_ask_q || u_dut.ar_valid_q || reads_q)
  // The user's lines.
  for (genvar i = 0; i < 2; i++) begin : gen_own
    `KUMI_ASSERT(i_own, !own_q[i] || (tags[i][2] && tags[i][0] == own_tag_q[i]))
    `KUMI_ASSERT(i_own_swap, !own_q[i] || !(st == VICTIM || swap || st == MISS) || l_set != 1'(i))
    `KUMI_ASSERT(i_own_state,
                 !own_q[i] || st == READY || (asks_q && st != LOOK_HINT && st != LOOK_PLACE))
  end

  // It was changed, written back, and read again.
  logic changed_q, again_q;
  always_ff @(posedge clk) begin
    if (bvalid && aw_it && !berror && sent_q != start_q) changed_q <= 1'b1;
    if (st == FINISH && line_is && changed_q) again_q <= 1'b1;
    if (rst) {changed_q, again_q} <= '0;
  end
  `KUMI_COVER(c_back, again_q && req && done && !bad && asked_it)
  `KUMI_COVER(c_hint, st == FINISH && !req && u_dut.write_back_q)
  `KUMI_COVER(c_broken, u_dut.broken_q && req && done)
endmodule
