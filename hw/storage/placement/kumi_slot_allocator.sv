// SPDX-License-Identifier: Apache-2.0
//
// Slot allocator: the lowest free slot of a device at or after the last one assigned, cyclically;
// release; initialisation from the log (docs/storage-layout.md, "Placement").
//
// s_req: slot_req_t. m_rsp: slot_rsp_t, one per request, in order; `slot` is the assigned one,
//   otherwise that of the request. SL_SIZE comes first for each device; until then it has no slots.
// Latency with L levels of bitmaps: SL_CLAIM 8 cycles where the word of the last slot has a free
// bit, at most 10 L + 3; SL_SET, SL_RELEASE 7 to 4 L + 3; SL_TEST 6; SL_SIZE the number of words of
// a device plus 4.
// Bad input: ok = 0 and no change: SL_CLAIM without a free slot, SL_RELEASE of a free one, SL_SET
// of a taken one, SL_TEST of a free one, an unknown device, slot or operation.
//
// A hierarchical bitmap: one bit per slot in words of WORD_W, above them words with one bit per
// full word, up to a single word. A search ascends until it sees a free bit further on, then
// descends to the lowest one there.
// Memory: PORTS * SLOTS bits, and 1 / (WORD_W - 1) of that for the levels above.
module kumi_slot_allocator
  import kumi_storage_pkg::*;
#(
    parameter int PORTS  = 8,     // devices, 1..128
    parameter int SLOTS  = 4096,  // slots of a device at most, a power of two, WORD_W..2^24
    parameter int WORD_W = 32     // bits of a word, a power of two, 2..32
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_req,
    kumi_rec_if.src m_rsp
);
  localparam int BIT_W = $clog2(WORD_W);
  localparam int SLOT_W = $clog2(SLOTS);
  localparam int LEVELS = (SLOT_W + BIT_W - 1) / BIT_W;
  localparam int LEVEL_W = LEVELS == 1 ? 1 : $clog2(LEVELS);
  localparam int DEVICES = PORTS <= 2 ? 2 : 1 << $clog2(PORTS);
  localparam int DEVICE_W = $clog2(DEVICES);

  if (PORTS < 1 || PORTS > 128) begin : gen_check_ports
    $fatal(0, "PORTS must be 1..128 (%m)");
  end
  if (WORD_W < 2 || WORD_W > 32 || (WORD_W & (WORD_W - 1)) != 0) begin : gen_check_word
    $fatal(0, "WORD_W must be a power of two in 2..32 (%m)");
  end
  if (SLOTS < WORD_W || SLOTS > 1 << 24 || (SLOTS & (SLOTS - 1)) != 0) begin : gen_check_slots
    $fatal(0, "SLOTS must be a power of two in WORD_W..2^24 (%m)");
  end
  if (s_req.W != $bits(slot_req_t) || m_rsp.W != $bits(slot_rsp_t)) begin : gen_check_if
    $fatal(0, "s_req, m_rsp: as slot_req_t, slot_rsp_t (%m)");
  end

  // Words per device and level, and offsets of the levels above 0 in their memory.
  function automatic int words_of(input int level);
    return SLOT_W > BIT_W * (level + 1) ? 1 << (SLOT_W - BIT_W * (level + 1)) : 1;
  endfunction
  function automatic int offset_of(input int level);
    int sum;
    sum = 0;
    for (int l = 1; l < level; l++) sum += DEVICES * words_of(l);
    return sum;
  endfunction

  localparam int LOW_DEPTH = DEVICES * words_of(0);
  localparam int LOW_W = $clog2(LOW_DEPTH);
  localparam int HIGH_DEPTH = LEVELS == 1 ? 2 : 1 << $clog2(offset_of(LEVELS));
  localparam int HIGH_W = $clog2(HIGH_DEPTH);

  typedef enum logic [3:0] {
    IDLE,
    READ_INFO,
    BEGIN,
    READ,
    LOADED,
    EVALUATE,
    MARK,
    FILL,
    STORE_INFO,
    RESPOND
  } state_e;
  state_e state_q;

  typedef logic [WORD_W-1:0] word_t;
  typedef logic [SLOT_W-1:0] index_t;  // of a bit or a word at some level

  slot_req_t req_q;
  slot_rsp_t rsp_q;
  logic [127:0] sized_q;
  logic ready, legal, known, slot_exists, claim, propagating_q, wrapped_q, descending_q;
  logic [LEVEL_W-1:0] level_q;
  index_t index_q, next_q;
  logic [SLOT_W:0] size_q, count_q;  // slots of the device; FILL: bits at the level that are free
  logic [BIT_W-1:0] bit_q, lowest;
  word_t mask_q, word_q, free_q, bit_mask, read_word, fill_word;
  logic top, last_word;

  // Size and next slot of each device.
  logic [SLOT_W:0] info_size;
  index_t info_next;
  slot_req_t req;
  assign req = s_req.data;
  kumi_ram_sdp #(
      .W(2 * SLOT_W + 1),
      .DEPTH(DEVICES)
  ) u_info (
      .clk,
      .wr_en  (state_q == STORE_INFO),
      .wr_addr(req_q.device[DEVICE_W-1:0]),
      .wr_data({size_q, next_q}),
      .rd_en  (state_q == IDLE),
      .rd_addr(req.device[DEVICE_W-1:0]),
      .rd_data({info_size, info_next})
  );

  // Bitmap words.
  logic write;
  word_t write_word, low_word, high_word;
  logic [ LOW_W-1:0] low_at;
  logic [HIGH_W-1:0] high_at;
  assign write = state_q == MARK || state_q == FILL;
  assign write_word = state_q == FILL ? fill_word : word_q;
  assign low_at = LOW_W'({req_q.device, {SLOT_W{1'b0}}} >> BIT_W) | LOW_W'(index_q);
  assign read_word = level_q == 0 ? low_word : high_word;

  always_comb begin
    high_at = '0;
    for (int l = 1; l < LEVELS; l++) begin
      if (level_q == LEVEL_W'(l)) begin
        high_at = HIGH_W'(offset_of(l) + words_of(l) * 32'(req_q.device[DEVICE_W-1:0])) +
            HIGH_W'(index_q);
      end
    end
  end

  kumi_ram_sdp #(
      .W(WORD_W),
      .DEPTH(LOW_DEPTH)
  ) u_low (
      .clk,
      .wr_en  (write && level_q == 0),
      .wr_addr(low_at),
      .wr_data(write_word),
      .rd_en  (state_q == READ),
      .rd_addr(low_at),
      .rd_data(low_word)
  );
  if (LEVELS > 1) begin : gen_high
    kumi_ram_sdp #(
        .W(WORD_W),
        .DEPTH(HIGH_DEPTH)
    ) u_high (
        .clk,
        .wr_en  (write && level_q != 0),
        .wr_addr(high_at),
        .wr_data(write_word),
        .rd_en  (state_q == READ),
        .rd_addr(high_at),
        .rd_data(high_word)
    );
  end else begin : gen_flat
    logic unused;
    assign unused = ^high_at;
    assign high_word = '1;
  end

  assign known = req_q.device < 8'(PORTS);
  assign claim = req_q.op == SL_CLAIM;
  assign slot_exists = known && sized_q[req_q.device[6:0]] && req_q.slot < 25'(info_size);
  always_comb begin
    case (req_q.op)
      SL_CLAIM: legal = known && sized_q[req_q.device[6:0]];
      SL_SIZE:  legal = known && req_q.slot <= 25'(SLOTS);
      default:  legal = slot_exists && req_q.op <= SL_TEST;
    endcase
  end
  assign top = level_q == LEVEL_W'(LEVELS - 1);
  assign bit_mask = word_t'(1) << bit_q;

  always_comb begin
    lowest = '0;
    for (int i = WORD_W - 1; i >= 0; i--) begin
      if (free_q[i]) lowest = BIT_W'(i);
    end
    last_word = 1'b0;
    for (int l = 0; l < LEVELS; l++) begin
      if (level_q == LEVEL_W'(l) && index_q == index_t'(words_of(l) - 1)) last_word = 1'b1;
    end
    for (int i = 0; i < WORD_W; i++) begin
      fill_word[i] = {1'b0, index_q, BIT_W'(i)} >= (SLOT_W + BIT_W + 1)'(count_q);
    end
  end

  assign s_req.ready = state_q == IDLE;
  assign m_rsp.data  = rsp_q;
  assign m_rsp.valid = state_q == RESPOND;
  assign ready       = m_rsp.ready;

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        req_q <= req;
        if (s_req.valid) state_q <= READ_INFO;
      end
      READ_INFO:  state_q <= BEGIN;
      BEGIN: begin
        rsp_q         <= '{1'b0, req_q.slot[23:0]};
        size_q        <= req_q.op == SL_SIZE ? req_q.slot[SLOT_W:0] : info_size;
        count_q       <= req_q.slot[SLOT_W:0];
        next_q        <= '0;
        level_q       <= '0;
        propagating_q <= 1'b0;
        descending_q  <= 1'b0;
        wrapped_q     <= 1'b0;
        bit_q         <= claim ? info_next[BIT_W-1:0] : req_q.slot[BIT_W-1:0];
        index_q       <= claim ? info_next >> BIT_W : req_q.slot[SLOT_W-1:0] >> BIT_W;
        mask_q        <= '1 << info_next[BIT_W-1:0];
        state_q       <= READ;
        if (req_q.op == SL_SIZE) begin
          index_q <= '0;
          state_q <= FILL;
        end
        if (!legal) state_q <= RESPOND;
      end
      READ:       state_q <= LOADED;
      LOADED: begin
        word_q  <= read_word;
        free_q  <= ~read_word & mask_q;
        state_q <= EVALUATE;
      end
      EVALUATE: begin
        state_q <= READ;
        if (propagating_q) begin
          // Propagate to the level above.
          word_q  <= req_q.op == SL_RELEASE ? word_q & ~bit_mask : word_q | bit_mask;
          free_q  <= ~word_q;
          state_q <= MARK;
        end else if (!claim) begin
          rsp_q.ok <= word_q[bit_q] == (req_q.op != SL_SET);
          word_q <= word_q ^ bit_mask;
          free_q <= ~word_q;
          state_q  <= req_q.op != SL_TEST && word_q[bit_q] == (req_q.op == SL_RELEASE) ? MARK
              : RESPOND;
        end else if (free_q != 0 && level_q == 0) begin
          rsp_q.ok   <= 1'b1;
          rsp_q.slot <= 24'({index_q, lowest});
          next_q     <= index_t'({index_q, lowest}) + 1'b1;
          bit_q      <= lowest;
          word_q     <= word_q | word_t'(1) << lowest;
          state_q    <= MARK;
        end else if (free_q != 0) begin
          level_q <= level_q - 1'b1;
          index_q <= index_t'({index_q, lowest});
          mask_q <= '1;
          descending_q <= 1'b1;
        end else if (!top && !descending_q) begin
          level_q <= level_q + 1'b1;
          index_q <= index_q >> BIT_W;
          mask_q  <= '1 << index_q[BIT_W-1:0] << 1;
        end else if (!wrapped_q) begin
          wrapped_q <= 1'b1;
          mask_q    <= '1;
        end else begin
          state_q <= RESPOND;
        end
      end
      MARK: begin
        propagating_q    <= 1'b1;
        level_q <= level_q + 1'b1;
        bit_q   <= index_q[BIT_W-1:0];
        index_q <= index_q >> BIT_W;
        state_q <= READ;
        // The level above changes only if the word became full or was full before.
        if (top || (req_q.op == SL_RELEASE ? free_q != 0 : word_q != '1)) begin
          state_q <= claim ? STORE_INFO : RESPOND;
        end
      end
      FILL: begin
        index_q <= index_q + 1'b1;
        if (last_word) begin
          level_q <= level_q + 1'b1;
          index_q <= '0;
          count_q <= (count_q + (SLOT_W + 1)'(WORD_W - 1)) >> BIT_W;
          if (top) begin
            for (int i = 0; i < PORTS; i++) if (req_q.device == 8'(i)) sized_q[i] <= 1'b1;
            rsp_q.ok <= 1'b1;
            state_q  <= STORE_INFO;
          end
        end
      end
      STORE_INFO: state_q <= RESPOND;
      default:    if (ready) state_q <= IDLE;
    endcase
    if (rst) begin
      state_q <= IDLE;
      sized_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{req_q.slot, req_q.device, req.op, req.slot, req.device};
endmodule
