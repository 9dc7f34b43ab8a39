// SPDX-License-Identifier: Apache-2.0
//
// Levels of the slot bitmaps that are on chip: from level 2 on, of all devices.
//
// level, index: a word of a device. wr_*: written on a clk edge with wr_en high. rd_data: the word,
//   one cycle after rd_en, until the next. last: it is the level's last one.
// Levels 2 to LEVELS - 2 share a memory, the highest one, of one word per device, has its own.
module kumi_slot_levels #(
    parameter int DEVICES = 8,  // a power of two, 2 or more
    parameter int SLOT_W = 24,  // bits of a slot
    parameter int WORD_W = 64,  // bits of a word, a power of two
    localparam int BIT_W = $clog2(WORD_W),
    localparam int LEVELS = (SLOT_W + BIT_W - 1) / BIT_W,
    localparam int LEVEL_W = LEVELS <= 2 ? 1 : $clog2(LEVELS),
    localparam int DEVICE_W = $clog2(DEVICES)
) (
    input logic clk,
    input logic [DEVICE_W-1:0] device,
    input logic [LEVEL_W-1:0] level,
    input logic [SLOT_W-1:0] index,
    input logic wr_en,
    input logic [WORD_W-1:0] wr_data,
    input logic rd_en,
    output logic [WORD_W-1:0] rd_data,
    output logic last
);
  // Words per device of a level, and where the level starts in the shared memory.
  function automatic int words_of(input int l);
    return SLOT_W > BIT_W * (l + 1) ? 1 << (SLOT_W - BIT_W * (l + 1)) : 1;
  endfunction
  function automatic int offset_of(input int l);
    int sum;
    sum = 0;
    for (int i = 2; i < l; i++) sum += DEVICES * words_of(i);
    return sum;
  endfunction

  logic [WORD_W-1:0] top_word, mid_word;
  logic top, top_q;
  assign top = level == LEVEL_W'(LEVELS - 1);
  always_ff @(posedge clk) if (rd_en) top_q <= top;

  always_comb begin
    last = top;
    for (int l = 2; l < LEVELS; l++) begin
      if (level == LEVEL_W'(l) && index == SLOT_W'(words_of(l) - 1)) last = 1'b1;
    end
  end

  if (LEVELS > 2) begin : gen_top
    kumi_ram_sdp #(
        .W(WORD_W),
        .DEPTH(DEVICES)
    ) u_top (
        .clk,
        .wr_en  (wr_en && top),
        .wr_addr(device),
        .wr_data,
        .rd_en,
        .rd_addr(device),
        .rd_data(top_word)
    );
  end else begin : gen_no_top
    assign top_word = '1;
  end

  if (LEVELS > 3) begin : gen_mid
    localparam int DEPTH = 1 << $clog2(offset_of(LEVELS - 1));
    localparam int AT_W = $clog2(DEPTH);
    logic [AT_W-1:0] at;
    always_comb begin
      at = '0;
      for (int l = 2; l < LEVELS - 1; l++) begin
        if (level == LEVEL_W'(l))
          at = AT_W'(offset_of(l) + words_of(l) * 32'(device)) + AT_W'(index);
      end
    end
    kumi_ram_sdp #(
        .W(WORD_W),
        .DEPTH(DEPTH)
    ) u_mid (
        .clk,
        .wr_en  (wr_en && !top),
        .wr_addr(at),
        .wr_data,
        .rd_en,
        .rd_addr(at),
        .rd_data(mid_word)
    );
  end else begin : gen_no_mid
    assign mid_word = '1;
  end
  assign rd_data = top_q ? top_word : mid_word;

  logic unused;
  assign unused = ^{index, wr_en, wr_data, device};
endmodule
