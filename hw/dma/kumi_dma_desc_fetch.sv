// SPDX-License-Identifier: Apache-2.0
//
// Prefetches the descriptors of one ring.
//
// run: descriptors may be read; when it falls no further read starts (ar_valid may be withdrawn,
//   the bus multiplexer has not accepted it then). waiting: beats of earlier reads are outstanding.
// base, log2: the ring; tail: descriptors handed over since the ring was started, modulo 2^16.
// ar_*: reads, each of up to four descriptors of one aligned group of 64 bytes, so that none
//   crosses 4 KiB. r_*: their data, always accepted; space is reserved before a read starts.
// m_*: the descriptors in order, with their number.
// ev_error: a read failed; no descriptor of it or after it is delivered until rst.
// rst: of the ring, only while nothing is outstanding.
// Throughput: a read every 3 cycles, up to 32 descriptors in flight. Latency 6 cycles plus the
//   memory's.
module kumi_dma_desc_fetch
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the bus: 64, 128, 256, 512
    parameter int ADDR_W = 64   // bits of an address
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   run,
    input  logic      [ADDR_W-1:0] base,
    input  logic      [       3:0] log2,
    input  logic      [      15:0] tail,
    output logic                   ar_valid,
    input  logic                   ar_ready,
    output logic      [ADDR_W-1:0] ar_addr,
    output logic      [       7:0] ar_len,
    input  logic                   r_valid,
    input  logic      [DATA_W-1:0] r_data,
    input  logic      [       1:0] r_resp,
    output logic                   m_valid,
    input  logic                   m_ready,
    output dma_desc_t              m_desc,
    output logic      [      15:0] m_count,
    output logic                   waiting,
    output logic                   ev_error
);
  localparam int LANES = DATA_W / DESC_W;  // descriptors in a beat; 0: two beats a descriptor
  localparam int BEATS = LANES == 0 ? 64 : 32;  // room for beats on their way
  localparam int COUNT_W = $clog2(BEATS) + 1;
  localparam int BYTE_W = $clog2(DATA_W / 8);

  // ---- requests ------------------------------------------------------------------------------
  // Three steps, a cycle each: how many there are, how many to take, offer.
  typedef enum logic [1:0] {
    S_COUNT,
    S_TAKE,
    S_OFFER
  } fetch_state_e;
  fetch_state_e step_q;
  logic [15:0] fetched_q, avail_q;
  logic [ADDR_W-1:0] addr_q;
  logic [2:0] number_q, number, group;
  logic [1:0] lane_q;
  logic [3:0] beats_q, beats;
  logic [14:0] index;
  logic [COUNT_W-1:0] free_q, coming_q;
  logic halt_q, fire, pop_beat;

  assign index  = fetched_q[14:0] & 15'((16'd1 << log2) - 16'd1);
  assign group  = 3'd4 - {1'b0, fetched_q[1:0]};
  assign number = avail_q < 16'(group) ? avail_q[2:0] : group;
  if (LANES == 0) begin : gen_beats_half
    assign beats = {number, 1'b0};
  end else if (LANES == 1) begin : gen_beats_one
    assign beats = {1'b0, number};
  end else if (LANES == 2) begin : gen_beats_two
    assign beats = ({3'b0, fetched_q[0]} + {1'b0, number} + 4'd1) >> 1;
  end else begin : gen_beats_four
    assign beats = 4'd1;
  end

  assign ar_valid = step_q == S_OFFER && run && !halt_q && free_q >= COUNT_W'(beats_q);
  assign ar_addr  = {addr_q[ADDR_W-1:BYTE_W], {BYTE_W{1'b0}}};
  assign ar_len   = 8'(beats_q) - 8'd1;
  assign fire     = ar_valid && ar_ready;
  assign waiting  = coming_q != '0;

  always_ff @(posedge clk) begin
    avail_q <= tail - fetched_q;
    unique case (step_q)
      S_COUNT: step_q <= S_TAKE;
      S_TAKE: begin
        addr_q   <= base + ADDR_W'({index, 4'h0});
        number_q <= number;
        lane_q   <= fetched_q[1:0];
        beats_q  <= beats;
        step_q   <= avail_q != '0 ? S_OFFER : S_COUNT;
      end
      default: begin
        if (fire) begin
          fetched_q <= fetched_q + 16'(number_q);
          step_q <= S_COUNT;
        end
      end
    endcase
    free_q   <= free_q - (fire ? COUNT_W'(beats_q) : '0) + COUNT_W'(pop_beat);
    coming_q <= coming_q + (fire ? COUNT_W'(beats_q) : '0) - COUNT_W'(r_valid);
    if (rst) begin
      step_q <= S_COUNT;
      fetched_q <= '0;
      free_q <= COUNT_W'(BEATS);
      coming_q <= '0;
    end
  end

  logic unused;
  assign unused = ^addr_q[BYTE_W-1:0];

  // ---- what comes back -----------------------------------------------------------------------
  logic [DATA_W-1:0] beat;
  logic beat_bad, beat_valid, take_valid, last, whole, out_free, meta_room, beat_room;
  logic [1:0] take_lane, k_q;
  logic [2:0] take_number;
  logic [$clog2(BEATS):0] depth_beats, depth_takes;
  dma_desc_t desc;

  kumi_fifo #(
      .W(DATA_W + 1),
      .DEPTH(BEATS),
      .STYLE(0)
  ) u_beats (
      .clk,
      .rst,
      .s_data ({r_resp[1], r_data}),
      .s_valid(r_valid),
      .s_ready(beat_room),
      .m_data ({beat_bad, beat}),
      .m_valid(beat_valid),
      .m_ready(pop_beat),
      .depth  (depth_beats)
  );

  // Every read has a beat at least, so there is room for its record too.
  kumi_fifo #(
      .W(5),
      .DEPTH(BEATS),
      .STYLE(0)
  ) u_takes (
      .clk,
      .rst,
      .s_data ({lane_q, number_q}),
      .s_valid(fire),
      .s_ready(meta_room),
      .m_data ({take_lane, take_number}),
      .m_valid(take_valid),
      .m_ready(pop_beat && last && whole),
      .depth  (depth_takes)
  );

  logic unused_room;
  assign unused_room = ^{beat_room, meta_room, depth_beats, depth_takes, r_resp[0]};

  assign last = 3'(k_q) + 3'd1 == take_number;

  logic go;  // a beat (or a lane of it) is used
  assign go = beat_valid && take_valid && (out_free || beat_bad) && !halt_q;

  if (LANES == 0) begin : gen_half
    logic half_q;
    logic [DATA_W-1:0] low_q;
    always_ff @(posedge clk) begin
      if (go) begin
        half_q <= !half_q;
        low_q  <= beat;
      end
      if (rst) half_q <= 1'b0;
    end
    assign whole = half_q;
    assign desc = {beat, low_q};
    assign pop_beat = go;
    logic unused_lane;
    assign unused_lane = ^take_lane;
  end else begin : gen_whole
    localparam int LANE_W = LANES > 1 ? $clog2(LANES) : 1;
    logic [1:0] lane;
    assign lane  = take_lane + k_q;
    assign whole = 1'b1;
    if (LANES == 1) begin : gen_one
      assign desc = beat;
      assign pop_beat = go;
      logic unused_lane;
      assign unused_lane = ^lane;
    end else begin : gen_many
      logic [LANE_W-1:0] at;
      assign at = lane[LANE_W-1:0];
      assign desc = beat[int'(at)*DESC_W+:DESC_W];
      assign pop_beat = go && (last || at == '1);
      if (LANE_W == 1) begin : gen_lane
        logic unused_lane;
        assign unused_lane = lane[1];
      end
    end
  end

  assign out_free = !m_valid || m_ready;
  assign ev_error = go && beat_bad;

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) m_count <= m_count + 1'b1;
    if (out_free) begin
      m_valid <= go && whole && !beat_bad;
      m_desc  <= desc;
    end
    if (go && whole) k_q <= last ? '0 : k_q + 1'b1;
    if (ev_error) halt_q <= 1'b1;
    if (rst) begin
      m_valid <= 1'b0;
      m_count <= '0;
      k_q     <= '0;
      halt_q  <= 1'b0;
    end
  end
endmodule
