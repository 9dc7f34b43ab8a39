// SPDX-License-Identifier: Apache-2.0
//
// A set of virtqueues, split or packed: available chains come out as segments, used ones go in.
//
// packed_ring, event_idx: what was negotiated, see kumi_nic_fetch; not while a queue is in use.
// start_*: a queue begins, with its rings and the index (packed: the nic_place_t) of both. stop: a
//   bit per queue that is to end. Chains that were not handed out yet are forgotten then; stopped
//   says that none is out any more, and index_* is where the queue can begin again.
// notify_*: the driver has added chains. want, budget: see kumi_nic_fetch.
// m_seg: segments, chain after chain. m_fault, at the place of a segment: the chain breaks a rule;
//   what of it was handed out (m_seg.first low) is not a whole chain. Its queue is broken.
// s_used: chains done with, in the order of their queue. drop_*: a chain handed out that will not
//   come back, of a queue that is to end. useless_*: a chain that breaks a rule of its user, which
//   does not come back if useless_drop is high; its queue is broken.
// taken_*: a chain was taken from its ring; it will be handed out, or forgotten.
// broken_*: a pulse; the queue does nothing more until it starts again (halted).
// irq_*: an interrupt of a queue; coal: see kumi_nic_moderate. dry: see kumi_nic_fetch.
// Read clients 0 rings, 1 first descriptors, 2 linked ones, 3 indirect tables, 4 the
//   driver's wish; write clients 0 notification events, 1 used ring. See kumi_dma_read_mux and
//   kumi_dma_write_mux.
module kumi_nic_queues
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,  // 2..256
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,
    input logic event_idx,
    input nic_coal_t coal,

    // queues
    input logic start_valid,
    output logic start_ready,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    input nic_queue_t start_ring,
    input logic [QUEUES-1:0] stop,
    output logic [QUEUES-1:0] stopped,
    input logic [LOOK_W-1:0] index_queue,
    output logic [15:0] index,
    input logic notify_valid,
    input logic [LOOK_W-1:0] notify_queue,
    input logic [QUEUES-1:0] want,
    output logic [LOOK_W-1:0] look,
    input logic [6:0] budget,
    output logic [QUEUES-1:0] dry,
    output logic taken_valid,
    output logic [LOOK_W-1:0] taken_queue,
    output logic broken_valid,
    output logic [LOOK_W-1:0] broken_queue,
    output logic [QUEUES-1:0] halted,
    output logic busy,

    // chains
    output logic m_valid,
    input logic m_ready,
    output nic_seg_t m_seg,
    output logic m_fault,
    input logic s_used_valid,
    output logic s_used_ready,
    input nic_used_t s_used,
    input logic drop_valid,
    input logic [LOOK_W-1:0] drop_queue,
    input logic useless_valid,
    input logic useless_drop,
    input logic [LOOK_W-1:0] useless_queue,
    output logic irq_valid,
    input logic irq_ready,
    output logic [LOOK_W-1:0] irq_queue,

    // memory
    output logic [4:0] ar_valid,
    input logic [4:0] ar_ready,
    output logic [4:0][63:0] ar_addr,
    output logic [4:0][7:0] ar_len,
    input logic [4:0] r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,
    output logic [1:0] aw_valid,
    input logic [1:0] aw_ready,
    output logic [1:0][63:0] aw_addr,
    output logic [1:0][7:0] aw_len,
    output logic [1:0] w_valid,
    input logic [1:0] w_ready,
    output logic [1:0][DATA_W-1:0] w_data,
    output logic [1:0][DATA_W/8-1:0] w_strb,
    output logic [1:0] w_last,
    input logic [1:0] b_valid,
    input logic [1:0] b_resp
);
  localparam int OUT_W = 10;  // bits of a count of chains that are out
  localparam int TAG_W = LOOK_W + 2 + $bits(nic_mark_t);

  // ---- rings ---------------------------------------------------------------------------------
  nic_queue_t ring_mem[QUEUES];
  logic [LOOK_W-1:0] used_look;
  logic start, fetch_start, publish_start;

  // Both sides take a start in the same cycle.
  assign start_ready = fetch_start && publish_start;
  assign start = start_valid && start_ready;
  always_ff @(posedge clk) if (start) ring_mem[start_queue] <= start_ring;

  // ---- available chains ----------------------------------------------------------------------
  logic head_valid, head_ready, head_fault, desc_valid, desc_ready, desc_first, fetch_fault;
  logic [QUEUES-1:0] fetching, broken_q;
  logic [LOOK_W-1:0] head_queue, head_look, desc_queue, fetch_fault_queue, notify_look;
  nic_desc_t desc;
  logic [15:0] head, head_size;
  logic [63:0] head_table;
  logic found_valid, found_ready, found_fault, seg_valid, seg_ready, seg_fault, chain_busy;
  nic_seg_t found, seg;
  nic_queue_t ring;
  logic poke_valid, poke_ready, post_valid, post_ready, ack_valid, ack_bad;
  logic [TAG_W-1:0] post_tag, ack_tag;
  logic [63:0] poke_addr, post_addr;
  logic [DATA_W-1:0] poke_data, post_data;
  logic [DATA_W/8-1:0] poke_strb, post_strb;
  logic [1:0] poke_resp;

  assign ring = ring_mem[look];

  kumi_nic_fetch #(
      .DATA_W(DATA_W),
      .QUEUES(QUEUES)
  ) u_fetch (
      .clk,
      .rst,
      .packed_ring,
      .event_idx,
      .notify_valid,
      .notify_queue,
      .start_valid,
      .start_ready(fetch_start),
      .start_take(start),
      .start_queue,
      .start_index,
      .stop,
      .want,
      .look,
      .ring,
      .head_look,
      .head_ring(ring_mem[head_look]),
      .budget,
      .working(fetching),
      .dry,
      .ar_valid(ar_valid[0]),
      .ar_ready(ar_ready[0]),
      .ar_addr(ar_addr[0]),
      .ar_len(ar_len[0]),
      .r_valid(r_valid[0]),
      .r_data,
      .r_resp,
      .poke_valid,
      .poke_ready,
      .poke_addr,
      .poke_data,
      .poke_strb,
      .poke_resp,
      .head_valid,
      .head_ready,
      .head_queue,
      .head,
      .head_fault,
      .head_table,
      .head_size,
      .desc_valid,
      .desc_ready,
      .desc_first,
      .desc_queue,
      .desc,
      .taken_valid,
      .taken_queue,
      .fault_valid(fetch_fault),
      .fault_queue(fetch_fault_queue)
  );
  assign ar_len[4] = '0;

  kumi_nic_chain #(
      .DATA_W(DATA_W),
      .QUEUES(QUEUES),
      .LOOK_W(LOOK_W)
  ) u_chain (
      .clk,
      .rst,
      .packed_ring,
      .forgotten   (stop | broken_q),
      .s_valid     (head_valid),
      .s_ready     (head_ready),
      .s_queue     (head_queue),
      .s_head      (head),
      .s_fault     (head_fault),
      .s_table     (head_table),
      .s_size      (head_size),
      .s_desc_valid(desc_valid),
      .s_desc_ready(desc_ready),
      .s_desc_first(desc_first),
      .s_desc_queue(desc_queue),
      .s_desc      (desc),
      .ar_valid    (ar_valid[3:1]),
      .ar_ready    (ar_ready[3:1]),
      .ar_addr     (ar_addr[3:1]),
      .ar_len      (ar_len[3:1]),
      .r_valid     (r_valid[3:1]),
      .r_data,
      .r_resp,
      .m_valid     (found_valid),
      .m_ready     (found_ready),
      .m_seg       (found),
      .m_fault     (found_fault),
      .busy        (chain_busy)
  );

  logic [$bits(nic_seg_t)-1:0] seg_bits;
  kumi_slice #(
      .W($bits(nic_seg_t) + 1),
      .MODE(2)
  ) u_found (
      .clk,
      .rst,
      .s_data ({found_fault, found}),
      .s_valid(found_valid),
      .s_ready(found_ready),
      .m_data ({seg_fault, seg_bits}),
      .m_valid(seg_valid),
      .m_ready(seg_ready)
  );
  assign seg = seg_bits;

  logic publish_busy, publish_fault, published;
  logic [QUEUES-1:0] publishing;
  logic [LOOK_W-1:0] publish_fault_queue, published_queue;

  // ---- what is handed out --------------------------------------------------------------------
  // A chain of a queue that is to end, or is broken, is forgotten; one that has begun goes on.
  logic open_q, forget, forgotten, handed_fault;
  logic [LOOK_W-1:0] seg_queue;

  assign seg_queue = seg.vq[LOOK_W-1:0];
  assign halted = broken_q;
  assign forget = !open_q && (stop[seg_queue] || broken_q[seg_queue]);
  assign m_valid = seg_valid && !forget;
  assign seg_ready = m_ready || forget;
  assign m_seg = seg;
  assign m_fault = seg_fault;
  assign handed_fault = m_valid && m_ready && seg_fault;
  // A chain that is not out: its last segment was forgotten, or it broke before its first.
  assign forgotten = seg_valid && ((forget && (seg.last || seg_fault)) || handed_fault);

  always_ff @(posedge clk) begin
    if (m_valid && m_ready) open_q <= !seg.last && !seg_fault;
    broken_valid <= fetch_fault || handed_fault || publish_fault || useless_valid;
    broken_queue <= useless_valid ? useless_queue :
        fetch_fault ? fetch_fault_queue : handed_fault ? seg_queue : publish_fault_queue;
    broken_q <= (broken_q | (fetch_fault ? QUEUES'(1) << fetch_fault_queue : '0) |
        (handed_fault ? QUEUES'(1) << seg_queue : '0) |
        (publish_fault ? QUEUES'(1) << publish_fault_queue : '0) |
        (useless_valid ? QUEUES'(1) << useless_queue : '0)) &
        ~(start ? QUEUES'(1) << start_queue : '0);
    if (rst) begin
      open_q <= 1'b0;
      broken_q <= '0;
      broken_valid <= 1'b0;
    end
  end

  // ---- used chains ---------------------------------------------------------------------------
  // Whether their queue has room is seen by this set alone.
  nic_used_t done;
  logic [$bits(nic_used_t)-1:0] done_bits;
  logic done_valid, done_ready;
  kumi_slice #(
      .W($bits(nic_used_t)),
      .MODE(2)
  ) u_used (
      .clk,
      .rst,
      .s_data (s_used),
      .s_valid(s_used_valid),
      .s_ready(s_used_ready),
      .m_data (done_bits),
      .m_valid(done_valid),
      .m_ready(done_ready)
  );
  assign done = done_bits;

  kumi_nic_publish #(
      .DATA_W(DATA_W),
      .QUEUES(QUEUES)
  ) u_publish (
      .clk,
      .rst,
      .packed_ring,
      .event_idx,
      .coal,
      .start_valid,
      .start_ready(publish_start),
      .start_take(start),
      .start_queue,
      .start_index,
      .look(used_look),
      .ring(ring_mem[used_look]),
      .notify_look,
      .notify_size(ring_mem[notify_look].size),
      .next_queue(index_queue),
      .next_index(index),
      .working(publishing),
      .busy(publish_busy),
      .done_valid(published),
      .done_queue(published_queue),
      .s_valid(done_valid),
      .s_ready(done_ready),
      .s_used(done),
      .ar_valid(ar_valid[4]),
      .ar_ready(ar_ready[4]),
      .ar_addr(ar_addr[4]),
      .r_valid(r_valid[4]),
      .r_data,
      .r_resp,
      .post_valid,
      .post_ready,
      .post_addr,
      .post_data,
      .post_strb,
      .post_tag,
      .ack_valid,
      .ack_bad,
      .ack_tag,
      .irq_valid,
      .irq_ready,
      .irq_queue,
      .fault_valid(publish_fault),
      .fault_queue(publish_fault_queue)
  );

  kumi_nic_poke #(
      .DATA_W(DATA_W)
  ) u_ask (
      .clk,
      .rst,
      .s_valid (poke_valid),
      .s_ready (poke_ready),
      .s_addr  (poke_addr),
      .s_data  (poke_data),
      .s_strb  (poke_strb),
      .s_resp  (poke_resp),
      .aw_valid(aw_valid[0]),
      .aw_ready(aw_ready[0]),
      .aw_addr (aw_addr[0]),
      .aw_len  (aw_len[0]),
      .w_valid (w_valid[0]),
      .w_ready (w_ready[0]),
      .w_data  (w_data[0]),
      .w_strb  (w_strb[0]),
      .w_last  (w_last[0]),
      .b_valid (b_valid[0]),
      .b_resp
  );

  kumi_nic_post #(
      .DATA_W(DATA_W),
      .TAG_W (TAG_W)
  ) u_post (
      .clk,
      .rst,
      .s_valid(post_valid),
      .s_ready(post_ready),
      .s_addr(post_addr),
      .s_data(post_data),
      .s_strb(post_strb),
      .s_tag(post_tag),
      .ack_valid,
      .ack_bad,
      .ack_tag,
      .aw_valid(aw_valid[1]),
      .aw_ready(aw_ready[1]),
      .aw_addr(aw_addr[1]),
      .aw_len(aw_len[1]),
      .w_valid(w_valid[1]),
      .w_ready(w_ready[1]),
      .w_data(w_data[1]),
      .w_strb(w_strb[1]),
      .w_last(w_last[1]),
      .b_valid(b_valid[1]),
      .b_resp
  );

  // ---- when a queue has ended ----------------------------------------------------------------
  // Chains between the ring and the used index, wherever they are: all that counts is seen a cycle
  // late. 0 one more, 1 to 4 one less.
  logic [QUEUES-1:0][OUT_W-1:0] out_q;
  logic [QUEUES-1:0][4:0] moves;
  logic [4:0] moved_q;
  logic [4:0][LOOK_W-1:0] moved_queue_q;
  logic [QUEUES-1:0] working_q;
  always_comb begin
    for (int i = 0; i < QUEUES; ++i)
    for (int k = 0; k < 5; ++k) moves[i][k] = moved_q[k] && moved_queue_q[k] == LOOK_W'(i);
  end
  always_ff @(posedge clk) begin
    moved_q <= {useless_valid && useless_drop, drop_valid, published, forgotten, taken_valid};
    moved_queue_q <= {useless_queue, drop_queue, published_queue, seg_queue, taken_queue};
    working_q <= fetching | publishing;
    for (int i = 0; i < QUEUES; ++i) begin
      out_q[i]   <= out_q[i] + OUT_W'(moves[i][0]) - OUT_W'($countones(moves[i][4:1]));
      stopped[i] <= stop[i] && out_q[i] == '0 && !working_q[i];
    end
    if (rst) {moved_q, out_q, stopped} <= '0;
  end

  // A cycle late, so it looks at what comes as well.
  always_ff @(posedge clk) begin
    busy <= |fetching || chain_busy || seg_valid || s_used_valid || done_valid || publish_busy;
    if (rst) busy <= 1'b0;
  end

  logic unused;
  assign unused = ^{seg.vq};
endmodule
