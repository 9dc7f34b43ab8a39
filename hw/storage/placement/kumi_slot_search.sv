// SPDX-License-Identifier: Apache-2.0
//
// Search engine of kumi_slot_allocator: a hierarchical bitmap per device. One bit per slot, above
// that one bit per full word, up to a single word. The two lowest levels are in memory, the others
// on chip. A search ascends until it sees a free bit further on, then descends to the lowest one.
//
// s_req, m_rsp, clear: as kumi_slot_allocator.
// mem_*: a word of level mem_level (0, 1) of a device in memory. mem_req is held until mem_done,
//   with mem_rdata, or mem_bad. mem_we: one cycle; the word was read before. hold: between the two.
//   hint, hint_index: a pulse with a word that will be needed soon.
// fill: held until fill_done; the level's first fill_count bits become 0, all others 1.
// A word is changed only when those above that change with it in memory have been read, so an error
// changes nothing.
module kumi_slot_search
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 8,  // devices, 1..128
    parameter int SLOTS = 1 << 24,  // slots of a device at most, a power of two, WORD_W..2^24
    parameter int WORD_W = 64,  // bits of a word, a power of two, 2..64
    localparam int SLOT_W = $clog2(SLOTS)
) (
    input logic clk,
    input logic rst,
    input logic clear,
    kumi_rec_if.snk s_req,
    kumi_rec_if.src m_rsp,
    output logic mem_req,
    output logic mem_we,
    output logic hold,
    output logic [6:0] mem_device,
    output logic mem_level,
    output logic [SLOT_W-1:0] mem_index,
    output logic [WORD_W-1:0] mem_wdata,
    input logic mem_done,
    input logic mem_bad,
    input logic [WORD_W-1:0] mem_rdata,
    output logic hint,
    output logic [SLOT_W-1:0] hint_index,
    output logic fill,
    output logic [SLOT_W:0] fill_count,
    input logic fill_done,
    input logic fill_bad
);
  localparam int BIT_W = $clog2(WORD_W);
  localparam int LINE_W = BIT_W + 3;  // bits of a slot's place in a line of eight words
  localparam int LEVELS = (SLOT_W + BIT_W - 1) / BIT_W;
  localparam int LEVEL_W = LEVELS <= 2 ? 1 : $clog2(LEVELS);
  localparam int DEVICES = PORTS <= 2 ? 2 : 1 << $clog2(PORTS);
  localparam int DEVICE_W = $clog2(DEVICES);

  if (PORTS < 1 || PORTS > 128) begin : gen_check_ports
    $fatal(0, "PORTS must be 1..128 (%m)");
  end
  if (WORD_W < 2 || WORD_W > 64 || (WORD_W & (WORD_W - 1)) != 0) begin : gen_check_word
    $fatal(0, "WORD_W must be a power of two in 2..64 (%m)");
  end
  if (SLOTS < WORD_W || SLOTS > 1 << 24 || (SLOTS & (SLOTS - 1)) != 0) begin : gen_check_slots
    $fatal(0, "SLOTS must be a power of two in WORD_W..2^24 (%m)");
  end
  if (s_req.W != $bits(slot_req_t) || m_rsp.W != $bits(slot_rsp_t)) begin : gen_check_if
    $fatal(0, "s_req, m_rsp: as slot_req_t, slot_rsp_t (%m)");
  end

  typedef enum logic [3:0] {
    IDLE,
    BEGIN,
    READ,
    LOADED,      // a word on chip
    EVALUATE,
    ENCODE,      // the lowest free bit
    DECIDE,      // what the word becomes, and whether the level above changes
    PEEK,        // the word above, before this one changes
    MARK,
    UP,
    FILL,
    FILL_LOOK,
    FILL_CHIP,
    STORE_INFO,
    RESPOND
  } state_e;
  state_e state_q;

  typedef logic [WORD_W-1:0] word_t;
  typedef logic [SLOT_W-1:0] index_t;  // of a bit or a word at some level

  slot_req_t req, req_q;
  slot_rsp_t rsp_q;
  logic [127:0] sized_q;
  logic legal, known, exists_q, claim, release_q, found_q, wrapped_q, descending_q, carry_q;
  logic [LEVEL_W-1:0] level_q;
  index_t index_q, next_q, above;
  logic [SLOT_W:0] size_q, last_q, count_q;  // count_q: bits at the level that are free
  logic [BIT_W-1:0] bit_q;
  word_t mask_q, word_q, free_q, up_q, bit_mask, loaded, chip_word;
  logic top, in_memory;

  assign req = s_req.data;
  assign s_req.ready = state_q == IDLE;
  assign m_rsp.data = rsp_q;
  assign m_rsp.valid = state_q == RESPOND;

  // ---- size and next slot of each device ------------------------------------------------------
  logic [SLOT_W:0] info_size;
  index_t info_next;
  kumi_ram_sdp #(
      .W(2 * SLOT_W + 1),
      .DEPTH(DEVICES)
  ) u_info (
      .clk,
      .wr_en  (state_q == STORE_INFO || (state_q == MARK && claim && level_q == '0)),
      .wr_addr(req_q.device[DEVICE_W-1:0]),
      .wr_data({size_q, next_q}),
      .rd_en  (state_q == IDLE),
      .rd_addr(req.device[DEVICE_W-1:0]),
      .rd_data({info_size, info_next})
  );

  assign known = req_q.device < 8'(PORTS);
  assign claim = req_q.op == SL_CLAIM;
  always_comb begin
    legal = known && sized_q[req_q.device[6:0]] && req_q.op <= SL_TEST;
    if (req_q.op == SL_SIZE) legal = known && req_q.slot <= 25'(SLOTS);
  end

  // ---- words ----------------------------------------------------------------------------------
  word_t new_q;
  logic  chip_we;
  assign in_memory = 32'(level_q) < 2;
  assign above = index_q >> BIT_W;
  assign top = level_q == LEVEL_W'(LEVELS - 1);
  assign bit_mask = word_t'(1) << bit_q;
  assign loaded = in_memory ? mem_rdata : chip_word;
  assign chip_we = state_q == FILL_CHIP || (state_q == MARK && !in_memory);

  assign mem_req = (state_q == READ && in_memory && exists_q) || state_q == PEEK;
  assign mem_we = state_q == MARK && in_memory;
  assign mem_device = req_q.device[6:0];
  assign mem_level = state_q == PEEK || level_q[0];
  assign mem_index = state_q == PEEK ? above : index_q;
  assign mem_wdata = new_q;
  assign hold = state_q >= READ && state_q <= UP;
  assign fill = state_q == FILL;
  assign fill_count = count_q;

  logic last_word;
  logic below_q, equal_q;  // FILL_CHIP: all of the word is free, some
  word_t rest_q;
  kumi_slot_levels #(
      .DEVICES(DEVICES),
      .SLOT_W (SLOT_W),
      .WORD_W (WORD_W)
  ) u_chip (
      .clk,
      .device (req_q.device[DEVICE_W-1:0]),
      .level  (level_q),
      .index  (index_q),
      .wr_en  (chip_we),
      .wr_data(state_q != FILL_CHIP ? new_q : below_q ? '0 : equal_q ? rest_q : '1),
      .rd_en  (state_q == READ && !in_memory),
      .rd_data(chip_word),
      .last   (last_word)
  );
  // ---- the lowest free bit, in two steps: its byte, then its place there ----------------------
  logic [7:0] some;  // of each byte of free_q
  logic [2:0] byte_q, low;
  logic [7:0] free_byte;
  logic [BIT_W-1:0] lowest;
  always_comb begin
    for (int i = 0; i < 8; i++) some[i] = 8'(64'(free_q) >> (8 * i)) != '0;
    low = '0;
    for (int i = 7; i >= 0; i--) if (free_byte[i]) low = 3'(i);
  end
  assign free_byte = 8'(64'(free_q) >> {byte_q, 3'd0});
  assign lowest = BIT_W'({byte_q, low});

  // The next line of the device, after the one in which a slot has been claimed.
  logic   last_line;
  index_t line_next;
  assign last_line = (SLOT_W + 1)'(index_q >> 3) == last_q >> LINE_W;
  assign line_next = ((index_q >> 3) + 1'b1) << 3;
  assign hint = state_q == MARK && claim && level_q == '0;
  assign hint_index = last_line ? '0 : line_next;

  always_ff @(posedge clk) begin
    last_q <= size_q - 1'b1;
    release_q <= req_q.op == SL_RELEASE;
    case (state_q)
      IDLE: begin
        req_q <= req;
        if (s_req.valid) state_q <= BEGIN;
      end
      BEGIN: begin
        rsp_q        <= '{bad: 1'b0, ok: 1'b0, slot: req_q.slot[23:0]};
        size_q       <= req_q.op == SL_SIZE ? req_q.slot[SLOT_W:0] : info_size;
        count_q      <= req_q.slot[SLOT_W:0];
        next_q       <= '0;
        level_q      <= '0;
        found_q      <= 1'b0;
        descending_q <= 1'b0;
        wrapped_q    <= 1'b0;
        bit_q        <= req_q.slot[BIT_W-1:0];
        index_q      <= claim ? info_next >> BIT_W : req_q.slot[SLOT_W-1:0] >> BIT_W;
        mask_q       <= '1 << info_next[BIT_W-1:0];
        exists_q     <= claim || req_q.slot < 25'(info_size);
        state_q      <= !legal ? RESPOND : req_q.op == SL_SIZE ? FILL : READ;
        if (legal && req_q.op == SL_SIZE) begin
          for (int i = 0; i < PORTS; i++) if (req_q.device == 8'(i)) sized_q[i] <= 1'b0;
        end
      end
      READ: begin
        word_q <= loaded;
        free_q <= ~loaded & mask_q;
        if (!exists_q) state_q <= RESPOND;
        else if (!in_memory) state_q <= LOADED;
        else if (mem_done) begin
          state_q   <= mem_bad ? RESPOND : EVALUATE;
          rsp_q.bad <= mem_bad;
        end
      end
      LOADED: begin
        word_q  <= loaded;
        free_q  <= ~loaded & mask_q;
        state_q <= found_q ? DECIDE : EVALUATE;
      end
      EVALUATE: begin
        byte_q <= '0;
        for (int i = 7; i >= 0; i--) if (some[i]) byte_q <= 3'(i);
        if (!claim) begin
          rsp_q.ok <= word_q[bit_q] == (req_q.op != SL_SET);
          found_q  <= 1'b1;
          state_q  <= req_q.op != SL_TEST && word_q[bit_q] == release_q ? DECIDE : RESPOND;
        end else if (some != '0) begin
          state_q <= ENCODE;
        end else if (!top && !descending_q) begin
          level_q <= level_q + 1'b1;
          index_q <= above;
          mask_q  <= '1 << index_q[BIT_W-1:0] << 1;
          state_q <= READ;
        end else if (!wrapped_q) begin
          wrapped_q <= 1'b1;
          mask_q    <= '1;
          state_q   <= READ;
        end else begin
          state_q <= RESPOND;
        end
      end
      ENCODE: begin
        bit_q <= lowest;
        if (level_q == '0) begin
          found_q <= 1'b1;
          rsp_q.ok <= 1'b1;
          rsp_q.slot <= 24'({index_q, lowest});
          state_q <= DECIDE;
        end else begin
          level_q <= level_q - 1'b1;
          index_q <= index_t'({index_q, lowest});
          mask_q <= '1;
          descending_q <= 1'b1;
          state_q <= READ;
        end
      end
      DECIDE: begin
        new_q <= release_q ? word_q & ~bit_mask : word_q | bit_mask;
        next_q <= (SLOT_W + 1)'(rsp_q.slot) == last_q ? '0 : index_t'(rsp_q.slot) + 1'b1;
        carry_q <= !top && (release_q ? word_q : word_q | bit_mask) == '1;
        state_q <= level_q == '0 && !top && (release_q ? word_q : word_q | bit_mask) == '1 ? PEEK
            : MARK;
      end
      PEEK:
      if (mem_done) begin
        up_q <= mem_rdata;
        rsp_q.bad <= mem_bad;
        if (mem_bad) rsp_q.ok <= 1'b0;
        if (mem_bad && claim) rsp_q.slot <= req_q.slot[23:0];
        state_q <= mem_bad ? RESPOND : MARK;
      end
      MARK: state_q <= carry_q ? UP : RESPOND;
      UP: begin
        level_q <= level_q + 1'b1;
        bit_q   <= index_q[BIT_W-1:0];
        index_q <= above;
        word_q  <= up_q;
        state_q <= level_q == '0 ? DECIDE : READ;
      end
      FILL: begin
        index_q <= '0;
        if (fill_done) begin
          level_q   <= level_q + 1'b1;
          count_q   <= (count_q + (SLOT_W + 1)'(WORD_W - 1)) >> BIT_W;
          rsp_q.bad <= fill_bad;
          state_q   <= fill_bad ? RESPOND : top ? STORE_INFO : level_q == '0 ? FILL : FILL_LOOK;
        end
      end
      FILL_LOOK: begin
        below_q <= (SLOT_W + 1)'(index_q) < count_q >> BIT_W;
        equal_q <= (SLOT_W + 1)'(index_q) == count_q >> BIT_W;
        rest_q  <= '1 << count_q[BIT_W-1:0];
        state_q <= FILL_CHIP;
      end
      FILL_CHIP: begin
        index_q <= index_q + 1'b1;
        state_q <= FILL_LOOK;
        if (last_word) begin
          level_q <= level_q + 1'b1;
          index_q <= '0;
          count_q <= (count_q + (SLOT_W + 1)'(WORD_W - 1)) >> BIT_W;
          if (top) state_q <= STORE_INFO;
        end
      end
      STORE_INFO: begin
        for (int i = 0; i < PORTS; i++) if (req_q.device == 8'(i)) sized_q[i] <= 1'b1;
        rsp_q.ok <= 1'b1;
        state_q  <= RESPOND;
      end
      default: if (m_rsp.ready) state_q <= IDLE;  // RESPOND
    endcase
    if (clear) sized_q <= '0;
    if (rst) begin
      state_q <= IDLE;
      sized_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{req_q.slot, req_q.device, req.op, req.slot, req.device};
endmodule
