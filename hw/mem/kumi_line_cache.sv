// SPDX-License-Identifier: Apache-2.0
//
// Write-back cache of lines of AXI4 memory, direct-mapped, accessed in words: eight of 64 bits per
// line as a rule.
//
// req: held until `done` with set, tag and word, of which a line's place is made (see at_*); rdata
//   is the word. A missing line is read, and the one that had its set written back. fresh: the
//   line becomes zero instead, whatever memory holds. bad, with done: memory returned an error and
//   the line is not there; nothing has changed.
// we: one cycle, writes wdata to a word of a line that is there: read since the last req of another
//   line of the same set. inv: one cycle, drops the line of a set. Neither with req.
// hint: a pulse; the line is read when there is nothing else to do, and takes its set. Later hints
//   replace one that waits. A req of a line on its way waits only for the rest. hold: none of this
//   starts now; asserted between a read and the write of the same word.
// at_set, at_tag: a line; at_line: its place in memory in units of lines, in the same cycle.
// clear: a pulse, not with req; drops all lines, without writing them back. quiet: no access, hint
//   or write is in progress.
// m_axi: bursts of one line, one each way at a time; space for read data is reserved.
// Latency: a word that is there 2 cycles, we 1; a missing line that of memory plus 14, 22 with a
//   line to be written back. No read starts before the last write is answered.
// Bad input: after an error of a write, the contents of memory are not known any more; every req
//   ends with `bad` until `clear`.
module kumi_line_cache #(
    parameter  int SETS   = 64,                         // lines, a power of two, 2 or more
    parameter  int TAG_W  = 12,                         // bits of a tag
    parameter  int ADDR_W = 40,                         // bits of an address, that of m_axi
    parameter  int WORDS  = 8,                          // of a line, a power of two, 2 or more
    parameter  int WORD_W = 64,                         // bits of a word, a power of two, 8 or more
    localparam int SET_W  = $clog2(SETS),
    localparam int AT_W   = $clog2(WORDS),              // bits of a word's place in its line
    localparam int BYTE_W = $clog2(WORDS * WORD_W / 8)  // and of a byte's
) (
    input logic clk,
    input logic rst,
    input logic clear,
    output logic quiet,
    // a word
    input logic req,
    input logic fresh,
    input logic we,
    input logic inv,
    input logic [SET_W-1:0] set,
    input logic [TAG_W-1:0] tag,
    input logic [AT_W-1:0] word,
    input logic [WORD_W-1:0] wdata,
    output logic done,
    output logic bad,
    output logic [WORD_W-1:0] rdata,
    // a line that will be needed
    input logic hold,
    input logic hint,
    input logic [SET_W-1:0] hint_set,
    input logic [TAG_W-1:0] hint_tag,
    // places
    output logic [SET_W-1:0] at_set,
    output logic [TAG_W-1:0] at_tag,
    input logic [ADDR_W-1:BYTE_W] at_line,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int BEATS = WORDS * WORD_W / DATA_W;
  localparam int LANES = DATA_W / WORD_W;  // words of a beat
  localparam int LANE_W = $clog2(LANES);
  localparam int FILL_DEPTH = BEATS < 2 ? 2 : BEATS;
  localparam int BEAT_W = $clog2(FILL_DEPTH);

  if (SETS < 2 || (SETS & (SETS - 1)) != 0) begin : gen_check_sets
    $fatal(0, "SETS must be a power of two, 2 or more (%m)");
  end
  if (WORDS < 2 || (WORDS & (WORDS - 1)) != 0 || WORD_W < 8 || (WORD_W & (WORD_W - 1)) != 0)
  begin : gen_check_word
    $fatal(0, "WORDS and WORD_W must be powers of two, 2 and 8 or more (%m)");
  end
  if (DATA_W < WORD_W || DATA_W > WORDS * WORD_W || m_axi.ADDR_W != ADDR_W) begin : gen_check_axi
    $fatal(0, "m_axi must have a word to a line of data, and ADDR_W of address (%m)");
  end

  typedef enum logic [3:0] {
    CLEAR,
    READY,
    LOOK,        // of a req
    LOOK_HINT,
    LOOK_PLACE,  // of a line that was read ahead
    MISS,
    VICTIM,
    MOVE,        // a word out, a word in
    SEND,
    FINISH,
    FRESH,
    FAILED
  } state_e;
  state_e state_q;

  typedef struct packed {
    logic             valid;
    logic             dirty;
    logic [TAG_W-1:0] tag;
  } entry_t;
  typedef struct packed {
    logic [SET_W-1:0] set;
    logic [TAG_W-1:0] tag;
  } line_t;

  line_t want, line_q, hint_q, fetch_q;
  entry_t entry, entry_in;
  logic hit, entry_we, hint_valid_q, fresh_q, broken_q;
  logic fetch_valid_q, fetched_q, fetch_bad_q, fetch_drop_q, fetch_ask_q, fetch_is_want;
  logic write_back_q, writing_q, aw_valid_q, ar_valid_q;
  logic [TAG_W-1:0] victim_q;
  logic [ADDR_W-1:BYTE_W] aw_line_q, ar_line_q;
  logic [SET_W-1:0] clear_q, entry_at, look_set;
  logic [AT_W-1:0] word_q, word_next;
  logic moved_last_q, moving, beat_done;

  assign want = '{set: set, tag: tag};
  assign quiet = state_q == READY && !req && !fetch_valid_q && !hint_valid_q && !writing_q;

  // ---- tags -----------------------------------------------------------------------------------
  assign look_set = req ? set : fetch_valid_q ? fetch_q.set : hint_q.set;
  assign hit = entry.valid && entry.tag == (state_q == LOOK_HINT ? line_q.tag : tag);
  assign entry_we = state_q == CLEAR || state_q == FINISH || we || inv;
  always_comb begin
    entry_at = state_q == CLEAR ? clear_q : state_q == FINISH ? line_q.set : set;
    entry_in = '0;
    if (state_q == FINISH) entry_in = '{valid: 1'b1, dirty: fresh_q, tag: line_q.tag};
    else if (we) entry_in = '{valid: 1'b1, dirty: 1'b1, tag: tag};
  end
  kumi_ram_sdp #(
      .W($bits(entry_t)),
      .DEPTH(SETS)
  ) u_tags (
      .clk,
      .wr_en  (entry_we),
      .wr_addr(entry_at),
      .wr_data(entry_in),
      .rd_en  (state_q == READY),
      .rd_addr(look_set),
      .rd_data(entry)
  );

  // ---- words ----------------------------------------------------------------------------------
  logic [WORD_W-1:0] ram_word, fill_word;
  logic [DATA_W-1:0] fill_beat, out_q;
  logic [BEAT_W-1:0] beat_q;

  assign word_next = state_q == VICTIM ? '0 : word_q + 1'b1;
  assign moving = state_q == MOVE;
  kumi_ram_sdp #(
      .W(WORD_W),
      .DEPTH(SETS * WORDS)
  ) u_words (
      .clk,
      .wr_en  (moving || we),
      .wr_addr(moving ? {line_q.set, word_q} : {set, word}),
      .wr_data(moving ? fill_word : wdata),
      .rd_en  (state_q == READY || state_q == VICTIM || moving),
      .rd_addr(state_q == READY ? {set, word} : {line_q.set, word_next}),
      .rd_data(ram_word)
  );
  kumi_ram_sdp #(
      .W(DATA_W),
      .DEPTH(FILL_DEPTH),
      .STYLE(0)
  ) u_fill (
      .clk,
      .wr_en  (m_axi.rvalid),
      .wr_addr(beat_q),
      .wr_data(m_axi.rdata),
      .rd_en  (state_q == VICTIM || moving),
      .rd_addr(BEAT_W'(word_next >> LANE_W)),
      .rd_data(fill_beat)
  );
  if (LANES == 1) begin : gen_one
    assign fill_word = fresh_q ? '0 : fill_beat;
    assign beat_done = 1'b1;
  end else begin : gen_lanes
    assign fill_word = fresh_q ? '0 : fill_beat[WORD_W*word_q[LANE_W-1:0]+:WORD_W];
    assign beat_done = &word_q[LANE_W-1:0];
  end

  assign done  = (state_q == LOOK && (broken_q || (hit && !fresh))) || state_q == FRESH
      || state_q == FAILED;
  assign bad = state_q == LOOK ? broken_q : state_q == FAILED;
  assign rdata = state_q == FRESH ? '0 : ram_word;

  // ---- the course of accesses -----------------------------------------------------------------
  assign fetch_is_want = fetch_valid_q && fetch_q == line_q && !fetch_drop_q;
  // A line to be written back waits for the answer to the one before.
  logic may_swap;
  assign may_swap = !write_back_q || !writing_q;

  always_ff @(posedge clk) begin
    case (state_q)
      CLEAR: begin
        clear_q <= clear_q + 1'b1;
        if (clear_q == '1) state_q <= READY;
      end
      READY: begin
        line_q <= want;
        if (!we && !inv) begin
          if (req) state_q <= LOOK;
          else if (fetch_valid_q && fetched_q && !hold) begin
            line_q <= fetch_q;
            if (fetch_bad_q || fetch_drop_q) fetch_valid_q <= 1'b0;
            else if (!writing_q) state_q <= LOOK_PLACE;
          end else if (hint_valid_q && !fetch_valid_q && !writing_q && !hold) begin
            line_q <= hint_q;
            hint_valid_q <= 1'b0;
            state_q <= LOOK_HINT;
          end
        end
      end
      LOOK: begin
        fresh_q <= fresh;
        victim_q <= entry.tag;
        write_back_q <= entry.valid && entry.dirty && !hit;
        state_q <= done ? READY : MISS;
      end
      LOOK_HINT: begin
        if (!hit && !broken_q) begin
          fetch_valid_q <= 1'b1;
          fetch_ask_q   <= 1'b1;
          fetched_q     <= 1'b0;
          fetch_drop_q  <= 1'b0;
          fetch_q       <= line_q;
        end
        state_q <= READY;
      end
      LOOK_PLACE: begin
        fresh_q <= 1'b0;
        victim_q <= entry.tag;
        write_back_q <= entry.valid && entry.dirty;
        state_q <= VICTIM;
      end
      MISS:
      if (fresh_q) begin
        if (fetch_is_want) fetch_drop_q <= 1'b1;
        if (may_swap) state_q <= VICTIM;
      end else if (!fetch_valid_q) begin
        fetch_valid_q <= !writing_q;
        fetch_ask_q   <= !writing_q;
        fetched_q     <= 1'b0;
        fetch_drop_q  <= 1'b0;
        fetch_q       <= line_q;
      end else if (fetched_q) begin
        if (!fetch_is_want) fetch_valid_q <= 1'b0;  // what was read ahead goes
        else if (fetch_bad_q) begin
          fetch_valid_q <= 1'b0;
          state_q <= FAILED;
        end else if (may_swap) state_q <= VICTIM;
      end
      VICTIM: begin
        word_q <= '0;
        if (write_back_q) begin
          aw_line_q  <= at_line;
          aw_valid_q <= 1'b1;
          writing_q  <= 1'b1;
        end
        state_q <= MOVE;
      end
      MOVE: begin
        word_q <= word_q + 1'b1;
        moved_last_q <= word_q == '1;
        if (write_back_q && beat_done) state_q <= SEND;
        else if (word_q == '1) state_q <= FINISH;
      end
      SEND: if (m_axi.wready) state_q <= moved_last_q ? FINISH : MOVE;
      FINISH: begin
        if (!fresh_q) fetch_valid_q <= 1'b0;
        state_q <= fresh_q ? FRESH : READY;
      end
      default: state_q <= READY;  // FRESH, FAILED
    endcase

    if (hint) begin
      hint_q <= '{set: hint_set, tag: hint_tag};
      hint_valid_q <= 1'b1;
    end
    if (fetch_ask_q) begin
      ar_line_q <= at_line;
      ar_valid_q <= 1'b1;
      fetch_ask_q <= 1'b0;
      fetch_bad_q <= 1'b0;
      beat_q <= '0;
    end
    if (ar_valid_q && m_axi.arready) ar_valid_q <= 1'b0;
    if (aw_valid_q && m_axi.awready) aw_valid_q <= 1'b0;
    if (m_axi.rvalid) begin
      beat_q <= beat_q + 1'b1;
      fetched_q <= beat_q == BEAT_W'(BEATS - 1);
      fetch_bad_q <= fetch_bad_q || m_axi.rresp[1];
    end
    if (m_axi.bvalid) writing_q <= 1'b0;
    if (moving) out_q <= DATA_W'({ram_word, out_q} >> WORD_W);

    if (clear) begin
      state_q <= CLEAR;
      clear_q <= '0;
      hint_valid_q <= 1'b0;
      fetch_drop_q <= 1'b1;
      broken_q <= 1'b0;
    end
    if (m_axi.bvalid && m_axi.bresp[1]) broken_q <= 1'b1;
    if (rst) begin
      state_q <= CLEAR;
      clear_q <= '0;
      hint_valid_q <= 1'b0;
      fetch_valid_q <= 1'b0;
      fetch_ask_q <= 1'b0;
      fetched_q <= 1'b0;
      writing_q <= 1'b0;
      aw_valid_q <= 1'b0;
      ar_valid_q <= 1'b0;
      broken_q <= 1'b0;
    end
  end

  // ---- memory ---------------------------------------------------------------------------------
  assign at_set = state_q == VICTIM ? line_q.set : fetch_q.set;
  assign at_tag = state_q == VICTIM ? victim_q : fetch_q.tag;
  assign m_axi.awid = '0;
  assign m_axi.awaddr = {aw_line_q, BYTE_W'(0)};
  assign m_axi.awlen = 8'(BEATS - 1);
  assign m_axi.awsize = 3'($clog2(DATA_W / 8));
  assign m_axi.awburst = 2'b01;
  assign m_axi.awvalid = aw_valid_q;
  assign m_axi.wdata = out_q;
  assign m_axi.wstrb = '1;
  assign m_axi.wlast = moved_last_q;
  assign m_axi.wvalid = state_q == SEND;
  assign m_axi.bready = 1'b1;
  assign m_axi.arid = '0;
  assign m_axi.araddr = {ar_line_q, BYTE_W'(0)};
  assign m_axi.arlen = 8'(BEATS - 1);
  assign m_axi.arsize = 3'($clog2(DATA_W / 8));
  assign m_axi.arburst = 2'b01;
  assign m_axi.arvalid = ar_valid_q;
  assign m_axi.rready = 1'b1;

  logic unused;
  assign unused = ^{m_axi.bid, m_axi.bresp[0], m_axi.rid, m_axi.rresp[0], m_axi.rlast};
endmodule
