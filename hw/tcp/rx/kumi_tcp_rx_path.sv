// SPDX-License-Identifier: Apache-2.0
//
// Receive path of the TCP engine (RFC 9293): from IP packets to records of valid segments and their
//   payload. Segments of sessions (hits) and others (misses) are separated here, so a flood of
//   misses never delays hits.
//
// s_hdr, s_axis: ip_hdr_t and segment from the IP stack.
// m_hit: tcp_seg_lookup_t, hits in order of arrival. m_axis: the payloads of those with len > 0, in
//   that order, one frame each; m_hit does not wait for m_axis.
// m_miss: tcp_seg_lookup_t with the keyed hash, misses in order, without payload. When MISS_DEPTH
//   are queued, more are dropped; kumi_tcp_miss_queue says who gets the last places.
// m_hit and m_miss hold their record until it is accepted, except `stale`: it rises while the
// record waits if a table change concerns it. Sample it with the handshake.
// s_table, m_table: tcp_table_req_t and tcp_table_rsp_t of the core, see kumi_tcp_table.
// ready: low after reset until the tables are clear; meanwhile segments are dropped and requests
//   wait.
// ev: one outcome per packet, and bad_options.
// Latency at 512 bits: first beat to m_hit 9 cycles for a segment of one beat with timestamps, to
//   m_axis 13; to m_miss 49 for a SYN. Throughput: one beat per cycle; segments of one beat every
//   cycle with timestamps, every 1.8 cycles with 40 bytes of options.
// Bad input is dropped and never stalls. DROP_FULL = 1: s_axis never waits for m_hit, m_miss or
//   m_axis; segments that find no space are dropped whole.
module kumi_tcp_rx_path
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of a beat, 64 to 512
    parameter int SESSIONS = 16,  // a power of two, 4 to 16384
    parameter int PAYLOAD_BUF_BYTES = 16384,  // payload buffered, a power of two
    parameter int HIT_DEPTH = 64,  // queued hits, a power of two
    // queued misses, a power of two; 1024: a thousand clients may connect at once
    parameter int MISS_DEPTH = SESSIONS < 64 ? 16 : SESSIONS < 1024 ? 128 : 1024,
    parameter bit DROP_FULL = 1'b1  // 1: drop hits that find no space, 0: stall s_axis
) (
    input logic clk,
    input logic rst,
    input tcp_cfg_t cfg,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hit,
    kumi_rec_if.src m_miss,
    kumi_axis_if.src m_axis,
    kumi_rec_if.snk s_table,
    kumi_rec_if.src m_table,
    output logic ready,
    output tcp_rx_ev_t ev
);
  localparam int DEPTH = PAYLOAD_BUF_BYTES / (DATA_W / 8);
  localparam int AW = $clog2(DEPTH);
  // As many segments as arrive while the longest options (10 words) are parsed.
  localparam int SLOTS = DATA_W == 64 ? 2 : DATA_W < 512 ? 4 : 8;
  // SYNs of 84 bytes, back to back at 10, 25, 50, 100 Gb/s, find a free one.
  localparam int HASHES = DATA_W == 64 ? 2 : DATA_W / 64;

  if (m_hit.W != $bits(
          tcp_seg_lookup_t
      ) || m_miss.W != $bits(
          tcp_seg_lookup_t
      )) begin : gen_check_if
    $fatal(0, "m_hit or m_miss has another width (%m)");
  end
  if (m_axis.DATA_W != DATA_W) begin : gen_check_axis
    $fatal(0, "m_axis has another width (%m)");
  end

  logic slot_free, begin_valid, key_valid, key_ready, head_valid, end_valid, sum_valid, sum_ok;
  logic look_valid, st_valid;
  logic [AW:0] room;
  logic [AW-1:0] base, st_addr;
  logic [15:0] begin_beats, end_beats;
  logic [DATA_W-1:0] st_data;
  tcp_tuple_t key;
  tcp_header_t head;
  tcp_lookup_t look;
  tcp_rx_outcome_e end_reason;

  // Beats take as long as the parser's register of records.
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) beats ();
  kumi_axis_reg #(
      .MODE(3)
  ) u_beats (
      .clk,
      .rst,
      .s_axis,
      .m_axis(beats)
  );

  kumi_tcp_rx_parse #(
      .DATA_W(DATA_W),
      .AW(AW),
      .DROP_FULL(DROP_FULL)
  ) u_parse (
      .clk,
      .rst,
      .cfg,
      .open  (ready),
      .s_hdr,
      .s_axis(beats),
      .slot_free,
      .room,
      .base,
      .begin_valid,
      .begin_beats,
      .key_valid,
      .key_ready,
      .key,
      .head_valid,
      .head,
      .end_valid,
      .end_reason,
      .end_beats,
      .sum_valid,
      .sum_ok,
      .st_valid,
      .st_addr,
      .st_data
  );

  // ---- tables and hashes ----------------------------------------------------------------------
  logic ask_valid, ask_ready, hash_valid, hash_mark, hash_in_valid, hash_in_ready;
  logic wait_valid, wait_ready, next_valid, next_ready;
  tcp_tuple_t ask_tuple, wait_tuple, next_tuple;
  logic [31:0] hash;
  logic change_valid, change_port;
  tcp_tuple_t change_tuple;

  kumi_tcp_table #(
      .SESSIONS(SESSIONS)
  ) u_table (
      .clk,
      .rst,
      .secret(cfg.secret),
      .key_valid,
      .key_ready,
      .key,
      .look_valid,
      .look,
      .s_table,
      .m_table,
      .hash_req_valid(ask_valid),
      .hash_req_ready(ask_ready),
      .hash_req_tuple(ask_tuple),
      .hash_rsp_valid(hash_valid && hash_mark),
      .hash_rsp(hash),
      .change_valid,
      .change_port,
      .change_tuple,
      .ready
  );

  // Misses, one every second cycle at most: far more than are hashed.
  kumi_slice #(
      .W($bits(tcp_tuple_t)),
      .MODE(1)
  ) u_next (
      .clk,
      .rst,
      .s_data (wait_tuple),
      .s_valid(wait_valid),
      .s_ready(wait_ready),
      .m_data (next_tuple),
      .m_valid(next_valid),
      .m_ready(next_ready)
  );

  // Requests of the core have priority.
  assign hash_in_valid = ask_valid || next_valid;
  assign ask_ready = hash_in_ready;
  assign next_ready = hash_in_ready && !ask_valid;

  kumi_tcp_hash #(
      .UNITS(HASHES)
  ) u_hash (
      .clk,
      .rst,
      .secret (cfg.secret),
      .ip     (cfg.ip),
      .s_valid(hash_in_valid),
      .s_ready(hash_in_ready),
      .s_tuple(ask_valid ? ask_tuple : next_tuple),
      .s_mark (ask_valid),
      .m_valid(hash_valid),
      .m_ready(1'b1),
      .m_hash (hash),
      .m_mark (hash_mark)
  );

  // ---- verdict --------------------------------------------------------------------------------
  // A segment with all its parts, in the slots and a register later: the counters behind the
  // verdict do not follow the choice of a slot in the same cycle.
  typedef struct packed {
    tcp_seg_t seg;
    logic [NBR_W-1:0] neighbor;
    logic bad_options;
    tcp_rx_outcome_e reason;
    logic [15:0] beats;
    tcp_lookup_t look;
  } joined_t;

  joined_t slot, joined;
  logic slot_valid, slot_ready, seg_valid, seg_ready;

  kumi_tcp_rx_join #(
      .SLOTS(SLOTS)
  ) u_slots (
      .clk,
      .rst,
      .begin_valid,
      .slot_free,
      .head_valid,
      .head,
      .end_valid,
      .end_reason,
      .end_beats,
      .sum_valid,
      .sum_ok,
      .look_valid,
      .look,
      .m_valid(slot_valid),
      .m_ready(slot_ready),
      .m_seg(slot.seg),
      .m_neighbor(slot.neighbor),
      .m_opts_bad(slot.bad_options),
      .m_reason(slot.reason),
      .m_beats(slot.beats),
      .m_look(slot.look)
  );

  kumi_slice #(
      .W($bits(joined_t)),
      .MODE(3)
  ) u_joined (
      .clk,
      .rst,
      .s_data (slot),
      .s_valid(slot_valid),
      .s_ready(slot_ready),
      .m_data (joined),
      .m_valid(seg_valid),
      .m_ready(seg_ready)
  );

  tcp_seg_t seg;
  tcp_lookup_t seg_look;
  tcp_rx_outcome_e reason, outcome;
  assign seg = joined.seg;
  assign seg_look = joined.look;
  assign reason = joined.reason;

  // Last stage: hits and misses part. A hit may wait here only with DROP_FULL = 0.
  logic found_ready, miss_ready, keep_ready, payload, fits, take;
  assign payload = seg.len != '0;
  assign fits = found_ready && (!payload || keep_ready);
  assign seg_ready = DROP_FULL || reason != RX_HIT || !seg_look.hit || fits;
  assign take = seg_valid && seg_ready;

  always_comb begin
    outcome = reason;
    if (reason == RX_HIT) begin
      if (seg_look.hit) outcome = fits ? RX_HIT : RX_DROP_HIT_FULL;
      else outcome = miss_ready ? RX_MISS : RX_DROP_MISS_FULL;
    end
  end

  kumi_tcp_rx_payload_buf #(
      .DATA_W(DATA_W),
      .DEPTH (DEPTH),
      .FRAMES(HIT_DEPTH)
  ) u_store (
      .clk,
      .rst,
      .begin_valid,
      .begin_beats,
      .room,
      .base,
      .st_valid,
      .st_addr,
      .st_data,
      .drop_valid(take && !(outcome == RX_HIT && payload)),
      .drop_beats(joined.beats),
      .keep_valid(take && outcome == RX_HIT && payload),
      .keep_ready,
      .keep_beats(joined.beats),
      .keep_len  (seg.len),
      .m_axis
  );

  // ---- queues ---------------------------------------------------------------------------------
  typedef struct packed {
    tcp_seg_t seg;
    tcp_lookup_t look;
  } queued_t;

  queued_t found, miss;
  logic found_valid;
  logic [31:0] keyed;
  logic [$clog2(HIT_DEPTH):0] unused_found;

  kumi_fifo_bypass #(
      .W($bits(queued_t)),
      .DEPTH(HIT_DEPTH)
  ) u_found (
      .clk,
      .rst,
      .s_data ({seg, seg_look}),
      .s_valid(take && outcome == RX_HIT),
      .s_ready(found_ready),
      .m_data (found),
      .m_valid(found_valid),
      .m_ready(m_hit.ready),
      .depth  (unused_found)
  );

  kumi_tcp_miss_queue #(
      .DEPTH(MISS_DEPTH)
  ) u_miss (
      .clk,
      .rst,
      .s_valid(take && outcome == RX_MISS),
      .s_seg(seg),
      .s_look(seg_look),
      .s_neighbor(joined.neighbor),
      .s_ready(miss_ready),
      .wait_valid,
      .wait_tuple,
      .wait_ready,
      .hash_valid(hash_valid && !hash_mark),
      .hash,
      .m_valid(m_miss.valid),
      .m_seg(miss.seg),
      .m_look(miss.look),
      .m_hash(keyed),
      .m_ready(m_miss.ready)
  );

  function automatic tcp_seg_lookup_t record(input queued_t q, input logic stale,
                                             input logic [31:0] value);
    tcp_seg_lookup_t r;
    r.seg = q.seg;
    r.hit = q.look.hit;
    r.sid = q.look.sid;
    r.listen = q.look.listen;
    r.stale = stale;
    r.hash = value;
    return r;
  endfunction

  logic [1:0] stale;

  kumi_tcp_lookup_hazard u_changes (
      .clk,
      .rst,
      .change_valid,
      .change_port,
      .change_tuple,
      .tuple({miss.seg.tuple, found.seg.tuple}),
      .age  ({miss.look.age, found.look.age}),
      .stale
  );

  assign m_hit.data  = record(found, stale[0], '0);
  assign m_hit.valid = found_valid;

  assign m_miss.data = record(miss, stale[1], keyed);

  // ---- events ---------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev <= '0;
    if (take) begin
      ev.hit <= outcome == RX_HIT;
      ev.miss <= outcome == RX_MISS;
      ev.drop_disabled <= outcome == RX_DROP_DISABLED;
      ev.drop_proto <= outcome == RX_DROP_PROTO;
      ev.drop_bad <= outcome == RX_DROP_BAD;
      ev.drop_short <= outcome == RX_DROP_SHORT;
      ev.drop_offset <= outcome == RX_DROP_OFFSET;
      ev.drop_checksum <= outcome == RX_DROP_CHECKSUM;
      ev.drop_buffer_full <= outcome == RX_DROP_BUFFER_FULL;
      ev.drop_hit_full <= outcome == RX_DROP_HIT_FULL;
      ev.drop_miss_full <= outcome == RX_DROP_MISS_FULL;
      ev.bad_options <= joined.bad_options && reason == RX_HIT;
    end
    if (rst) ev <= '0;
  end

  logic unused;
  assign unused = ^{cfg, unused_found};
endmodule
