// SPDX-License-Identifier: Apache-2.0
//
// Memory to stream: descriptors to read bursts, and their data to segments of packets.
//
// s_*: descriptors in order. run: when it falls no further burst starts and nothing more is
//   delivered (ar_valid, seg_valid, done_valid may be withdrawn). waiting: beats are outstanding.
// ar_*, r_*: bursts. A burst ends at the descriptor's end or at a multiple of the burst size, so it
//   never crosses 4 KiB. Space is reserved before it starts, so r_* is always accepted.
// seg_*: segments for kumi_byte_realign; a unit is a packet. seg_bad counts with seg_flush.
// done_*: one completion per descriptor, when its last byte has been read: the buffer is free then.
// Bad input: an illegal descriptor moves nothing and completes with CODE_ILLEGAL; its packet is bad
//   (with EOP alone it is a packet of one zero byte). A memory error completes with its code; the
//   packet keeps its length and is bad.
// Throughput: a burst a cycle, a beat a cycle. Latency: 3 cycles to ar_valid, 4 from r_* to seg_*.
module kumi_dma_mm2s
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the bus
    parameter int ADDR_W = 64,  // bits of an address
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096
    parameter int BEATS = 512,  // beats that may be on their way, a power of two
    parameter int METAS = 64,  // descriptors between first burst and completion, a power of two
    parameter int SUM_W = 36  // bits of an address that are summed in a cycle
) (
    input  logic                                   clk,
    input  logic                                   rst,
    input  logic                                   run,
    input  logic                                   s_valid,
    output logic                                   s_ready,
    input  dma_desc_t                              s_desc,
    input  logic            [                15:0] s_count,
    output logic                                   ar_valid,
    input  logic                                   ar_ready,
    output logic            [          ADDR_W-1:0] ar_addr,
    output logic            [                 7:0] ar_len,
    input  logic                                   r_valid,
    input  logic            [          DATA_W-1:0] r_data,
    input  logic            [                 1:0] r_resp,
    output logic                                   seg_valid,
    input  logic                                   seg_ready,
    output logic            [          DATA_W-1:0] seg_data,
    output logic            [$clog2(DATA_W/8)-1:0] seg_lo,
    output logic            [  $clog2(DATA_W/8):0] seg_count,
    output logic                                   seg_start,
    output logic                                   seg_flush,
    output logic                                   seg_bad,
    output logic            [                 7:0] seg_dest,
    output logic                                   done_valid,
    input  logic                                   done_ready,
    output dma_completion_t                        done,
    output logic                                   waiting
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int PAGE_W = $clog2(BURST_BYTES);
  localparam int COUNT_W = $clog2(BEATS) + 1;
  localparam int LEN_W = PAGE_W - LANE_W + 1;  // beats of a burst

  if (BEATS < 2 * BURST_BYTES / BYTES) begin : gen_check_beats
    $fatal(0, "room for two of the longest bursts is needed (%m)");
  end

  // ---- descriptors to bursts -----------------------------------------------------------------
  typedef struct packed {
    logic illegal;
    logic single;
    logic eop, sop, irq;
    logic [7:0] dest;
    logic [LANE_W-1:0] lo;
    logic [23:0] length;
    logic [23:0] rest;
    logic [15:0] count;
  } read_meta_t;

  logic left_valid_q, illegal, take, split, split_last, meta_room;
  logic [ADDR_W-1:0] addr_q, addr;
  logic [24:0] end_q;  // of the bytes left, counted from the start of the page that addr is in
  logic [LEN_W-1:0] part;  // beats of the page up to there
  logic burst_valid_q, burst_free, fire;
  logic [ADDR_W-1:0] burst_addr_q;
  logic [LEN_W-1:0] burst_beats_q;
  logic high_bits;
  read_meta_t meta_in, meta;

  if (ADDR_W < 64) begin : gen_high
    assign high_bits = s_desc.addr[63:ADDR_W] != '0;
  end else begin : gen_no_high
    assign high_bits = 1'b0;
  end
  assign illegal = desc_illegal(s_desc.flags, {s_desc.zero, s_desc.length}, high_bits);

  assign s_ready = (!left_valid_q || (split && split_last)) && meta_room && run;
  assign take = s_valid && s_ready;
  assign burst_free = !burst_valid_q || fire;
  assign split = left_valid_q && burst_free;
  assign split_last = end_q[24:PAGE_W] == '0 || (end_q[24:PAGE_W] == 1 && end_q[PAGE_W-1:0] == '0);
  assign part = split_last ? LEN_W'(end_q[PAGE_W:LANE_W]) + LEN_W'(end_q[LANE_W-1:0] != '0) :
      LEN_W'(BURST_BYTES / BYTES);

  logic [COUNT_W-1:0] free_q;
  logic [COUNT_W-1:0] asked_q, came_q;  // beats so far, modulo
  logic pop_beat, popped_q;
  assign ar_valid = burst_valid_q && run && free_q >= COUNT_W'(burst_beats_q);
  assign ar_addr = burst_addr_q;
  assign ar_len = 8'(burst_beats_q - 1'b1);
  assign fire = ar_valid && ar_ready;
  assign waiting = asked_q != came_q;

  always_ff @(posedge clk) begin
    if (split) begin
      end_q[24:PAGE_W] <= end_q[24:PAGE_W] - 1'b1;
      if (split_last) left_valid_q <= 1'b0;
    end
    if (take) begin
      left_valid_q <= !illegal;
      end_q <= {1'b0, s_desc.length} + 25'(s_desc.addr[PAGE_W-1:0]);
    end
    if (burst_free) begin
      burst_valid_q <= left_valid_q;
      burst_addr_q  <= {addr[ADDR_W-1:LANE_W], {LANE_W{1'b0}}};
      burst_beats_q <= part - LEN_W'(addr[PAGE_W-1:LANE_W]);
    end
    popped_q <= pop_beat;
    free_q   <= free_q - (fire ? COUNT_W'(burst_beats_q) : '0) + COUNT_W'(popped_q);
    if (fire) asked_q <= asked_q + COUNT_W'(burst_beats_q);
    came_q <= came_q + COUNT_W'(r_valid);
    if (rst) begin
      left_valid_q <= 1'b0;
      burst_valid_q <= 1'b0;
      free_q <= COUNT_W'(BEATS);
      popped_q <= 1'b0;
      asked_q <= '0;
      came_q <= '0;
    end
  end

  // The next page: of a long address the upper part counts a burst later.
  localparam int LOW_W = ADDR_W < SUM_W ? ADDR_W : SUM_W;
  logic carry, carry_q;
  logic [LOW_W-1:PAGE_W] page;
  assign {carry, page} = {1'b0, addr_q[LOW_W-1:PAGE_W]} + 1'b1;
  if (ADDR_W > LOW_W) begin : gen_long
    assign addr = {addr_q[ADDR_W-1:LOW_W] + (ADDR_W - LOW_W)'(carry_q), addr_q[LOW_W-1:0]};
  end else begin : gen_short
    assign addr = addr_q;
  end
  always_ff @(posedge clk) begin
    if (split) begin
      addr_q <= addr;
      addr_q[LOW_W-1:PAGE_W] <= page;
      addr_q[PAGE_W-1:0] <= '0;
      carry_q <= carry;
    end
    if (take) begin
      addr_q  <= s_desc.addr[ADDR_W-1:0];
      carry_q <= 1'b0;
    end
  end

  // ---- what comes back -----------------------------------------------------------------------
  logic [DATA_W-1:0] beat;
  logic [1:0] resp;
  logic beat_valid, beat_room, meta_valid, last;
  logic [COUNT_W-1:0] depth_beats;
  logic [$clog2(METAS):0] depth_metas;

  kumi_fifo #(
      .W(DATA_W + 2),
      .DEPTH(BEATS)
  ) u_beats (
      .clk,
      .rst,
      .s_data ({r_resp, r_data}),
      .s_valid(r_valid),
      .s_ready(beat_room),
      .m_data ({resp, beat}),
      .m_valid(beat_valid),
      .m_ready(pop_beat),
      .depth  (depth_beats)
  );

  // Whether the first beat is the only one, and the bytes behind it.
  logic [LANE_W:0] whole;
  assign whole = (LANE_W + 1)'(BYTES) - {1'b0, s_desc.addr[LANE_W-1:0]};
  assign meta_in = '{
          illegal: illegal,
          single: s_desc.length <= 24'(whole),
          eop: s_desc.flags.eop,
          sop: s_desc.flags.sop,
          irq: s_desc.flags.irq,
          dest: s_desc.flags.dest,
          lo: illegal ? '0 : s_desc.addr[LANE_W-1:0],
          length: s_desc.length,
          rest: s_desc.length - 24'(whole),
          count: s_count
      };

  logic [$bits(read_meta_t)-1:0] meta_bits;
  logic pop_meta;
  assign meta = meta_bits;

  kumi_fifo #(
      .W($bits(read_meta_t)),
      .DEPTH(METAS),
      .STYLE(0)
  ) u_metas (
      .clk,
      .rst,
      .s_data (meta_in),
      .s_valid(take),
      .s_ready(meta_room),
      .m_data (meta_bits),
      .m_valid(meta_valid),
      .m_ready(pop_meta),
      .depth  (depth_metas)
  );

  logic unused_room;
  assign unused_room = ^{beat_room, depth_beats, depth_metas};

  // ---- segments ------------------------------------------------------------------------------
  logic first_q, start_q, bad_q, shows, go, ends_q;
  logic [23:0] left_q;  // bytes from this beat on, if it is not the first
  logic [LANE_W-1:0] lo;
  logic [LANE_W:0] bytes;
  logic [7:0] dest_q;
  logic [3:0] code_q, code;

  function automatic logic fits(input logic [23:0] bytes_left, input int beats);
    return 32'(bytes_left[23:LANE_W]) < beats ||
        (32'(bytes_left[23:LANE_W]) == beats && bytes_left[LANE_W-1:0] == '0);
  endfunction

  // Whether a beat is the last one is worked out with the one before it.
  assign lo = first_q ? meta.lo : '0;
  assign last = meta.illegal || (first_q ? meta.single : ends_q);
  assign bytes = !last ? (LANE_W + 1)'(BYTES) - {1'b0, lo} :
      first_q ? meta.length[LANE_W:0] : left_q[LANE_W:0];
  assign code = meta.illegal ? CODE_ILLEGAL : code_q != CODE_OK ? code_q : resp_code(resp);

  // An illegal descriptor shows a byte only where it ends a packet.
  assign shows = !meta.illegal || meta.eop;
  assign go = run && meta_valid && (beat_valid || meta.illegal) && (seg_ready || !shows) &&
      (done_ready || !last);
  assign pop_beat = go && !meta.illegal;
  assign pop_meta = go && last;

  assign seg_valid = run && meta_valid && (beat_valid || meta.illegal) && shows &&
      (done_ready || !last);
  assign seg_data = meta.illegal ? '0 : beat;
  assign seg_lo = lo;
  assign seg_count = meta.illegal ? (LANE_W + 1)'(1) : bytes;
  assign seg_start = start_q;
  assign seg_flush = last && meta.eop;
  assign seg_bad = bad_q || code != CODE_OK;
  assign seg_dest = start_q ? meta.dest : dest_q;

  assign done_valid = go && last;
  assign done = '{
          count: meta.count,
          length: meta.illegal ? '0 : meta.length,
          code: code,
          dest: meta.dest,
          bad: 1'b0,
          irq: meta.irq,
          sop: meta.sop,
          eop: meta.eop
      };

  always_ff @(posedge clk) begin
    if (go) begin
      first_q <= last;
      left_q  <= first_q ? meta.rest : left_q - 24'(BYTES);
      ends_q  <= first_q ? fits(meta.rest, 1) : fits(left_q, 2);
      code_q  <= last ? CODE_OK : code;
      bad_q   <= code != CODE_OK || bad_q;
      if (shows) begin
        start_q <= 1'b0;
        dest_q  <= seg_dest;
      end
      if (last && meta.eop) begin
        start_q <= 1'b1;
        bad_q   <= 1'b0;
      end
    end
    if (rst) begin
      first_q <= 1'b1;
      start_q <= 1'b1;
      bad_q   <= 1'b0;
      code_q  <= CODE_OK;
    end
  end
endmodule
