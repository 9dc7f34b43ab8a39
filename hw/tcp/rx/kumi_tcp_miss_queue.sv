// SPDX-License-Identifier: Apache-2.0
//
// Queue of segments without a session, that wait for the keyed hash of their tuple.
//
// s_*: a segment, its lookup and the class of the neighbor that sent it; a pulse, only while
//   s_ready, which depends on them.
// wait_*: tuples to hash, valid/ready; hash_valid, hash: the hashes in that order. They always find
//   space, since each belongs to a queued segment.
// m_*: segments with their hash, in order.
// What is queued, beside lack of space:
// - the last places (a quarter, 32 at most) are for others than SYNs, so that the ACK of a cookie
//   gets through a flood of SYNs;
// - half of these are for SYNs of neighbors that have less than FAIR in the queue, so a flood
//   through the router, or from one station, leaves room for the clients on the link. Neighbors
//   share a class with others if their MAC addresses have the same XOR of three-bit groups.
// Latency 2 cycles plus that of the hash; one segment per cycle.
module kumi_tcp_miss_queue
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int DEPTH = 128  // segments, a power of two, 16 or more
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    s_valid,
    input  tcp_seg_t                s_seg,
    input  tcp_lookup_t             s_look,
    input  logic        [NBR_W-1:0] s_neighbor,
    output logic                    s_ready,
    output logic                    wait_valid,
    output tcp_tuple_t              wait_tuple,
    input  logic                    wait_ready,
    input  logic                    hash_valid,
    input  logic        [     31:0] hash,
    output logic                    m_valid,
    output tcp_seg_t                m_seg,
    output tcp_lookup_t             m_look,
    output logic        [     31:0] m_hash,
    input  logic                    m_ready
);
  localparam int W = $clog2(DEPTH);
  localparam int NOT_SYN = DEPTH < 128 ? DEPTH / 4 : 32;
  localparam int FAIR = DEPTH < 128 ? 1 : 2;  // a power of two
  localparam int STYLE = DEPTH <= 128 ? 0 : 1;  // of the RAMs

  if (DEPTH < 16 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, 16 or more (%m)");
  end

  typedef struct packed {
    tcp_seg_t         seg;
    tcp_lookup_t      look;
    logic             syn;       // without ACK
    logic [NBR_W-1:0] neighbor;
  } queued_miss_t;

  queued_miss_t s, m;
  logic syn, room, wait_room, keyed_room, segment_valid, pop;
  logic [W:0] depth, unused_wait, unused_keyed;

  // ---- who may come in ------------------------------------------------------------------------
  logic [2**NBR_W-1:0] few;  // SYNs of this class in the queue
  assign syn = s_seg.flags.syn && !s_seg.flags.ack;
  assign s_ready = room && wait_room && (!syn || depth < (W + 1)'(DEPTH - NOT_SYN) ||
      (few[s_neighbor] && depth < (W + 1)'(DEPTH - NOT_SYN / 2)));

  for (genvar i = 0; i < 2 ** NBR_W; i++) begin : gen_class
    logic [W+1:0] count_q;
    logic come, go;
    assign come = s_valid && syn && s_neighbor == NBR_W'(i);
    assign go = pop && m.syn && m.neighbor == NBR_W'(i);
    assign few[i] = count_q[W+1:$clog2(FAIR)] == '0;
    always_ff @(posedge clk) begin
      if (come != go) count_q <= come ? count_q + 1'b1 : count_q - 1'b1;
      if (rst) count_q <= '0;
    end
  end

  // ---- queues, filled together ----------------------------------------------------------------
  assign s = '{seg: s_seg, look: s_look, syn: syn, neighbor: s_neighbor};
  assign {m_seg, m_look} = {m.seg, m.look};
  assign pop = m_valid && m_ready;

  kumi_fifo #(
      .W($bits(queued_miss_t)),
      .DEPTH(DEPTH)
  ) u_miss (
      .clk,
      .rst,
      .s_data (s),
      .s_valid,
      .s_ready(room),
      .m_data (m),
      .m_valid(segment_valid),
      .m_ready(pop),
      .depth
  );

  kumi_fifo #(
      .W($bits(tcp_tuple_t)),
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_wait (
      .clk,
      .rst,
      .s_data (s_seg.tuple),
      .s_valid,
      .s_ready(wait_room),
      .m_data (wait_tuple),
      .m_valid(wait_valid),
      .m_ready(wait_ready),
      .depth  (unused_wait)
  );

  logic keyed_valid;
  kumi_fifo #(
      .W(32),
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_keyed (
      .clk,
      .rst,
      .s_data (hash),
      .s_valid(hash_valid),
      .s_ready(keyed_room),
      .m_data (m_hash),
      .m_valid(keyed_valid),
      .m_ready(pop),
      .depth  (unused_keyed)
  );

  assign m_valid = segment_valid && keyed_valid;

  logic unused;
  assign unused = ^{unused_wait, unused_keyed, keyed_room};
endmodule
