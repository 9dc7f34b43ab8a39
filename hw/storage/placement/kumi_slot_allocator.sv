// SPDX-License-Identifier: Apache-2.0
//
// Slot allocator: the lowest free slot of a device at or after the last one assigned, cyclically;
// release; initialisation from the log (docs/storage-layout.md, "Placement"). The bitmaps are in
// memory, so disks may have 2^24 slots each (docs/decisions/0013-slots-in-memory.md).
//
// s_req: slot_req_t. m_rsp: slot_rsp_t, one per request, in order; `slot` is the assigned one,
//   otherwise that of the request. SL_SIZE comes first for each device; until then it has no slots.
// area: where the bitmaps are, AREA_BYTES from a multiple of 2^AREA_W on (the bits below are
//   ignored). clear: a pulse while no request is in progress, after which no device has slots; area
//   may change then.
// m_axi: bursts of 64 bytes; space for read data is reserved.
// Latency: SL_CLAIM 8 cycles where the word of the last slot has a free bit; at most 12 per level
//   and way of a search, 96 with four levels, plus six times memory where lines are missing;
//   SL_SET, SL_RELEASE 7, SL_TEST 5 and once memory, twice where a word becomes or was full; 4 per
//   level above that changes. SL_SIZE: 9 cycles per 512 slots and 64 bits of data, plus 64.
//   A device's words are written back and the line after the claimed one is read in between.
// Bad input: ok = 0 and no change: SL_CLAIM without a free slot, SL_RELEASE of a free one, SL_SET
//   of a taken one, SL_TEST of a free one, an unknown device, slot or operation. Memory errors: bad
//   and no change; after an error of a write, every request is bad until `clear`.
//
// kumi_slot_search is the engine, kumi_line_cache holds four lines of eight words per device and
// level in memory: those claimed from, read ahead, and released to lately. All accesses go through
// it in order, so none is lost. kumi_slot_fill writes the bitmaps of a device that gets its size.
module kumi_slot_allocator
  import kumi_storage_pkg::*;
#(
    parameter int PORTS = 8,  // devices, 1..128
    parameter int SLOTS = 1 << 24,  // slots of a device at most, a power of two, WORD_W..2^24
    parameter int WORD_W = 64,  // bits used of a word of 64, a power of two, 2..64
    parameter int ADDR_W = 40  // bits of an address, that of m_axi
) (
    input logic clk,
    input logic rst,
    input logic clear,
    input logic [ADDR_W-1:0] area,
    kumi_rec_if.snk s_req,
    kumi_rec_if.src m_rsp,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int BIT_W = $clog2(WORD_W);
  localparam int SLOT_W = $clog2(SLOTS);
  localparam int DEVICES = PORTS <= 2 ? 2 : 1 << $clog2(PORTS);
  localparam int DEVICE_W = $clog2(DEVICES);
  // Lines of a device at the two levels in memory, logarithms.
  localparam int LOW_W = SLOT_W > BIT_W + 3 ? SLOT_W - BIT_W - 3 : 0;
  localparam int HIGH_W = SLOT_W > 2 * BIT_W + 3 ? SLOT_W - 2 * BIT_W - 3 : 0;
  localparam int TAG_W = LOW_W > 3 ? LOW_W - 2 : 1;
  localparam int SET_W = DEVICE_W + 3;  // device, level, two bits of the line
  localparam int AREA_BYTES = DEVICES * ((1 << LOW_W) + (1 << HIGH_W)) * 64;

  localparam int AREA_W = DEVICE_W + LOW_W + 7;

  // The place of a line: level 0 of all devices, then level 1.
  typedef logic [ADDR_W-1:6] slot_line_t;
  function automatic slot_line_t place_of(input slot_line_t base, input logic [DEVICE_W-1:0] device,
                                          input logic level, input logic [TAG_W+1:0] line);
    slot_line_t at;
    at = level ? slot_line_t'(1) << (DEVICE_W + LOW_W) | slot_line_t'(device) << HIGH_W :
        slot_line_t'(device) << LOW_W;
    return (base & ('1 << (AREA_W - 6))) | at | slot_line_t'(line);
  endfunction

  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) cached ();
  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) filled ();

  // ---- search ---------------------------------------------------------------------------------
  logic mem_req, mem_we, mem_level, mem_done, mem_bad, hold, hint, fill, fill_done, fill_bad;
  logic [6:0] mem_device;
  logic [SLOT_W-1:0] mem_index, hint_index, line, hint_line;
  logic [SLOT_W:0] fill_count;
  logic [WORD_W-1:0] mem_wdata;
  logic [63:0] rdata;
  kumi_slot_search #(
      .PORTS (PORTS),
      .SLOTS (SLOTS),
      .WORD_W(WORD_W)
  ) u_search (
      .clk,
      .rst,
      .clear,
      .s_req,
      .m_rsp,
      .mem_req,
      .mem_we,
      .hold,
      .mem_device,
      .mem_level,
      .mem_index,
      .mem_wdata,
      .mem_done,
      .mem_bad,
      .mem_rdata(rdata[WORD_W-1:0]),
      .hint,
      .hint_index,
      .fill,
      .fill_count,
      .fill_done,
      .fill_bad
  );

  // ---- the bitmaps of a device that gets its size: its lines are dropped, then written ---------
  typedef enum logic [1:0] {
    IDLE,
    DROP,
    START,
    FILL
  } state_e;
  state_e state_q;
  logic [1:0] drop_q;
  logic quiet;
  slot_line_t fill_place_q;

  always_ff @(posedge clk) begin
    fill_place_q <= place_of(area[ADDR_W-1:6], mem_device[DEVICE_W-1:0], mem_level, '0);
    case (state_q)
      IDLE: begin
        drop_q <= '0;
        if (fill && quiet) state_q <= DROP;
      end
      DROP: begin
        drop_q <= drop_q + 1'b1;
        if (drop_q == '1) state_q <= START;
      end
      START:   state_q <= FILL;
      default: if (fill_done) state_q <= IDLE;  // FILL
    endcase
    if (rst) state_q <= IDLE;
  end

  kumi_slot_fill #(
      .WORD_W (WORD_W),
      .COUNT_W(SLOT_W + 1),
      .ADDR_W (ADDR_W)
  ) u_fill (
      .clk,
      .rst,
      .start(state_q == START),
      .line (fill_place_q),
      .count(fill_count),
      .done (fill_done),
      .bad  (fill_bad),
      .m_axi(filled)
  );

  // ---- cache ----------------------------------------------------------------------------------
  logic [SET_W-1:0] at_set;
  logic [TAG_W-1:0] at_tag;
  assign line = mem_index >> 3;
  assign hint_line = hint_index >> 3;
  kumi_line_cache #(
      .SETS  (1 << SET_W),
      .TAG_W (TAG_W),
      .ADDR_W(ADDR_W)
  ) u_cache (
      .clk,
      .rst,
      .clear,
      .quiet,
      .req(mem_req),
      .fresh(1'b0),
      .we(mem_we),
      .inv(state_q == DROP),
      .set({mem_device[DEVICE_W-1:0], mem_level, state_q == DROP ? drop_q : 2'(line)}),
      .tag(TAG_W'(line >> 2)),
      .word(3'(mem_index)),
      .wdata(64'(mem_wdata)),
      .done(mem_done),
      .bad(mem_bad),
      .rdata,
      .hold,
      .hint,
      .hint_set({mem_device[DEVICE_W-1:0], 1'b0, 2'(hint_line)}),
      .hint_tag(TAG_W'(hint_line >> 2)),
      .at_set,
      .at_tag,
      .at_line(place_of(area[ADDR_W-1:6], at_set[SET_W-1:3], at_set[2], {at_tag, at_set[1:0]})),
      .m_axi(cached)
  );

  // ---- memory: the cache is quiet while bitmaps are written ------------------------------------
  logic filling;
  assign filling = state_q == FILL;
  assign m_axi.awid = '0;
  assign m_axi.awaddr = filling ? filled.awaddr : cached.awaddr;
  assign m_axi.awlen = cached.awlen;
  assign m_axi.awsize = cached.awsize;
  assign m_axi.awburst = cached.awburst;
  assign m_axi.awvalid = cached.awvalid || filled.awvalid;
  assign cached.awready = m_axi.awready;
  assign filled.awready = m_axi.awready;
  assign m_axi.wdata = filling ? filled.wdata : cached.wdata;
  assign m_axi.wstrb = '1;
  assign m_axi.wlast = filling ? filled.wlast : cached.wlast;
  assign m_axi.wvalid = cached.wvalid || filled.wvalid;
  assign cached.wready = m_axi.wready;
  assign filled.wready = m_axi.wready;
  assign cached.bid = '0;
  assign cached.bresp = m_axi.bresp;
  assign cached.bvalid = m_axi.bvalid && !filling;
  assign filled.bid = '0;
  assign filled.bresp = m_axi.bresp;
  assign filled.bvalid = m_axi.bvalid && filling;
  assign {filled.arid, filled.araddr, filled.arlen, filled.arsize, filled.arburst} = '0;
  assign {filled.arvalid, filled.arready, filled.rready} = '0;
  assign {filled.rid, filled.rdata, filled.rresp, filled.rlast, filled.rvalid} = '0;
  assign m_axi.bready = 1'b1;
  assign m_axi.arid = '0;
  assign m_axi.araddr = cached.araddr;
  assign m_axi.arlen = cached.arlen;
  assign m_axi.arsize = cached.arsize;
  assign m_axi.arburst = cached.arburst;
  assign m_axi.arvalid = cached.arvalid;
  assign cached.arready = m_axi.arready;
  assign cached.rid = '0;
  assign cached.rdata = m_axi.rdata;
  assign cached.rresp = m_axi.rresp;
  assign cached.rlast = m_axi.rlast;
  assign cached.rvalid = m_axi.rvalid;
  assign m_axi.rready = 1'b1;

  logic unused;
  assign unused = ^{area[5:0], mem_device, rdata, cached.awid, cached.wstrb, cached.bready,
                    cached.arid, cached.rready, filled.awid, filled.awlen, filled.awsize,
                    filled.awburst, filled.wstrb, filled.bready, m_axi.bid, m_axi.rid,
                    1'(AREA_BYTES)};
endmodule
