// SPDX-License-Identifier: Apache-2.0
//
// Receive side: frames to the buffers of their queue, each behind a virtio_net_hdr (virtio 1.2,
// 5.1.6.4).
//
// s_axis: frames from the wire, of DATA_W bits or fewer; s_axis.tready is always high. A bad frame
//   is dropped.
// look_*: see kumi_nic_filter; spread, table_*: see kumi_nic_rss; steer_*: see kumi_nic_steer.
//   Which queue: see kumi_nic_rx_class.
// reports: VIRTIO_NET_F_HASH_REPORT: headers are longer, and have the frame's hash.
// csum: VIRTIO_NET_F_GUEST_CSUM: a frame whose checksum was verified (kumi_nic_rx_csum) gets
//   DATA_VALID.
// coalesce: VIRTIO_NET_F_GUEST_TSO4 (0) and _TSO6 (1) as well: segments of a flow are joined
//   (kumi_nic_rsc_plan).
// live: queues that may be used. The other ports are those of kumi_nic_queues and
//   kumi_nic_buffers.
// aw_*, w_*, b_*: writes, see kumi_dma_s2mm. m_used: chains that are filled, in order.
// Buffers of the following frames are chosen while a frame is written (kumi_nic_rx_plan).
// Events: 0 frames received, 1 dropped: bad, 2 no room in the frame memory, 3 longer than that, 4
//   not let through by the filter, 5 no buffers, 6 the queue is not in use; 7, 8: see
//   kumi_nic_rx_class.
// Throughput: a beat a cycle, a frame every 4 cycles.
module kumi_nic_rx
  import kumi_nic_pkg::*, kumi_dma_pkg::*;
#(
    parameter  int DATA_W = 512,             // bits of the memory port and of the stream
    parameter  int QUEUES = 2,               // receive queues, 2..256
    parameter  int FRAMES = 65536,           // bytes of the frame memory, a power of two
    parameter  int FLOWS  = 128,             // in the steering table, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int EVENTS = 9
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,
    output nic_look_t look_at,
    input logic look_take,
    input nic_spread_t spread,
    output logic [6:0] table_index,
    input logic [LOOK_W-1:0] table_queue,
    input nic_steer_write_t steer_write,
    output nic_steer_read_t steer_read,
    input logic csum,
    input logic [1:0] coalesce,
    input logic reports,
    input logic [QUEUES-1:0] live,

    input logic s_seg_valid,
    output logic s_seg_ready,
    input nic_seg_t s_seg,
    input logic s_fault,
    input logic taken_valid,
    input logic [LOOK_W-1:0] taken_queue,
    output logic [QUEUES-1:0] want,
    input logic [LOOK_W-1:0] look,
    output logic [6:0] budget,
    input logic [QUEUES-1:0] dry,
    input logic [QUEUES-1:0] ended,
    output logic drop_valid,
    output logic [LOOK_W-1:0] drop_queue,
    output logic break_valid,
    output logic [LOOK_W-1:0] break_queue,
    output logic break_drop,

    output logic aw_valid,
    input logic aw_ready,
    output logic [63:0] aw_addr,
    output logic [7:0] aw_len,
    output logic w_valid,
    input logic w_ready,
    output logic [DATA_W-1:0] w_data,
    output logic [DATA_W/8-1:0] w_strb,
    output logic w_last,
    input logic b_valid,
    input logic [1:0] b_resp,

    output logic m_used_valid,
    input logic m_used_ready,
    output nic_used_t m_used,
    output logic [EVENTS-1:0] ev,
    output logic busy
);
  localparam int PLACE_W = 8;

  // ---- whole frames --------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) kept (), stored (), headed ();
  logic rec_valid, rec_ready, rec_take, rec_good;
  nic_hash_t rec_hash, hash_q, move_hash;
  nic_gso_t rec_gso, gso_q, move_gso;
  logic frames_busy;
  logic [LOOK_W-1:0] rec_queue;
  logic [16:0] rec_bytes;
  logic [4:0] ev_frames;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) wide ();
  kumi_axis_width u_width (
      .clk,
      .rst,
      .s_axis,
      .m_axis(wide)
  );

  kumi_nic_rx_frames #(
      .DATA_W(DATA_W),
      .QUEUES(QUEUES),
      .FRAMES(FRAMES),
      .FLOWS (FLOWS)
  ) u_frames (
      .clk,
      .rst,
      .s_axis(wide),
      .look_at,
      .look_take,
      .spread,
      .table_index,
      .table_queue,
      .steer_write,
      .steer_read,
      .live,
      .coalesce,
      .m_axis(kept),
      .rec_valid,
      .rec_ready,
      .rec_take,
      .rec_good,
      .rec_hash,
      .rec_queue,
      .rec_bytes,
      .rec_gso,
      .busy(frames_busy),
      .ev(ev_frames)
  );

  kumi_axis_reg u_stored (
      .clk,
      .rst,
      .s_axis(kept),
      .m_axis(stored)
  );

  // ---- what breaks a queue -------------------------------------------------------------------
  // A chain that is of no use, or memory that refuses a frame.
  logic bad_valid, failed;
  logic [LOOK_W-1:0] bad_queue, pick;
  logic [7:0] failed_queue;
  assign break_valid = bad_valid || failed;
  assign break_queue = bad_valid ? bad_queue : failed_queue[LOOK_W-1:0];

  // ---- buffers -------------------------------------------------------------------------------
  logic [PLACE_W:0] first, tail, free_to;
  logic hold, coming, full, read_first, free_valid, plan_busy;
  logic [PLACE_W-1:0] read_place;
  logic [2:0] ev_plan;
  nic_buffer_t read_seg;

  kumi_nic_buffers #(
      .QUEUES(QUEUES),
      .DEPTH (2 ** PLACE_W)
  ) u_buffers (
      .clk,
      .rst,
      .s_valid(s_seg_valid),
      .s_ready(s_seg_ready),
      .s_seg,
      .s_fault,
      .taken_valid,
      .taken_queue,
      .want,
      .look,
      .budget,
      .pick,
      .first,
      .tail,
      .coming,
      .full,
      .read_first,
      .read_place,
      .read_seg,
      .free_valid,
      .free_to,
      .clear(~live),
      .hold,
      .ended,
      .drop_valid,
      .drop_queue,
      .break_valid(bad_valid),
      .break_queue(bad_queue),
      .break_drop
  );

  logic cmd_valid, cmd_ready, cmd_drop, plan_valid, plan_ready, chain_put, chain_room;
  logic chain_put_more, desc_valid, desc_ready;
  logic [15:0] cmd_chains, chain_put_head;
  logic [5:0] chain_put_descs;
  dma_desc_t plan_desc, desc;
  logic good_q;

  kumi_nic_rx_plan #(
      .QUEUES (QUEUES),
      .PLACE_W(PLACE_W)
  ) u_plan (
      .clk,
      .rst,
      .rec_valid,
      .rec_ready,
      .rec_take,
      .rec_bytes(18'(rec_bytes) + (reports ? 18'(HEADER_BYTES + HASH_BYTES) : 18'(HEADER_BYTES))),
      .rec_queue,
      .live,
      .dry,
      .hold,
      .pick,
      .first,
      .tail,
      .coming,
      .full,
      .read_first,
      .read_place,
      .read_seg,
      .free_valid,
      .free_to,
      .m_cmd_valid(cmd_valid),
      .m_cmd_ready(cmd_ready),
      .m_cmd_drop(cmd_drop),
      .m_cmd_chains(cmd_chains),
      .m_desc_valid(plan_valid),
      .m_desc_ready(plan_ready),
      .m_desc(plan_desc),
      .m_chain_valid(chain_put),
      .m_chain_ready(chain_room),
      .m_chain_head(chain_put_head),
      .m_chain_descs(chain_put_descs),
      .m_chain_more(chain_put_more),
      .ev(ev_plan),
      .busy(plan_busy)
  );
  always_ff @(posedge clk) begin
    if (rec_valid && rec_ready) {good_q, hash_q, gso_q} <= {rec_good && csum, rec_hash, rec_gso};
  end

  // ---- the frames, as they were planned ------------------------------------------------------
  logic move_valid, move_drop, moved;
  logic [15:0] move_chains;
  logic move_good;
  logic [4:0] move_depth;
  logic [6:0] desc_depth;
  logic queued_valid, queued_ready;
  logic [$bits(dma_desc_t)-1:0] queued_bits, desc_bits;

  kumi_fifo #(
      .W(18 + $bits(nic_hash_t) + $bits(nic_gso_t)),
      .DEPTH(16),
      .STYLE(0)
  ) u_moves (
      .clk,
      .rst,
      .s_data ({cmd_drop, cmd_chains, good_q, hash_q, gso_q}),
      .s_valid(cmd_valid),
      .s_ready(cmd_ready),
      .m_data ({move_drop, move_chains, move_good, move_hash, move_gso}),
      .m_valid(move_valid),
      .m_ready(moved),
      .depth  (move_depth)
  );

  kumi_fifo #(
      .W($bits(dma_desc_t)),
      .DEPTH(64),
      .STYLE(0)
  ) u_descs (
      .clk,
      .rst,
      .s_data (plan_desc),
      .s_valid(plan_valid),
      .s_ready(plan_ready),
      .m_data (queued_bits),
      .m_valid(queued_valid),
      .m_ready(queued_ready),
      .depth  (desc_depth)
  );
  kumi_slice #(
      .W($bits(dma_desc_t)),
      .MODE(2)
  ) u_desc (
      .clk,
      .rst,
      .s_data (queued_bits),
      .s_valid(queued_valid),
      .s_ready(queued_ready),
      .m_data (desc_bits),
      .m_valid(desc_valid),
      .m_ready(desc_ready)
  );
  assign desc  = desc_bits;

  assign moved = stored.tvalid && stored.tlast && stored.tready;

  kumi_nic_rx_header #(
      .DATA_W(DATA_W)
  ) u_header (
      .clk,
      .rst,
      .reports,
      .move_valid,
      .move_drop,
      .chains(move_chains),
      .good  (move_good),
      .hash  (move_hash),
      .gso   (move_gso),
      .s_axis(stored),
      .m_axis(headed)
  );

  logic done_valid, done_ready, waiting, active, starved, ev_packet, ev_marked, ev_truncated;
  dma_completion_t done;

  kumi_dma_recv #(
      .DATA_W(DATA_W),
      .BURST_BYTES(DATA_W == 512 ? 4096 : 1024),
      .WRITE_BEATS(512),
      .OPEN(128)
  ) u_write (
      .clk,
      .rst,
      .rst_ring(rst),
      .run(1'b1),
      .s_axis(headed),
      .desc_valid,
      .desc_ready,
      .desc,
      .desc_count('0),
      .aw_valid,
      .aw_ready,
      .aw_addr,
      .aw_len,
      .w_valid,
      .w_ready,
      .w_data,
      .w_strb,
      .w_last,
      .b_valid,
      .b_resp,
      .done_valid,
      .done_ready,
      .done,
      .waiting,
      .active,
      .starved,
      .ev_packet,
      .ev_bad(ev_marked),
      .ev_truncated
  );

  // ---- chains back ---------------------------------------------------------------------------
  logic chains_busy;
  kumi_nic_rx_chains u_chains (
      .clk,
      .rst,
      .s_valid(chain_put),
      .s_ready(chain_room),
      .s_queue(8'(pick)),
      .s_head(chain_put_head),
      .s_descs(chain_put_descs),
      .s_more(chain_put_more),
      .done_valid,
      .done_ready,
      .done,
      .m_used_valid,
      .m_used_ready,
      .m_used,
      .failed_valid(failed),
      .failed_ready(!bad_valid),
      .failed_queue,
      .busy(chains_busy)
  );

  // ---- events --------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev[0]   <= moved && !move_drop;
    ev[3:1] <= ev_frames[2:0];
    ev[8:7] <= ev_frames[4:3];
    if (rst) {ev[8:7], ev[3:0]} <= '0;
  end
  assign ev[6:4] = ev_plan;
  assign busy = frames_busy || plan_busy || rec_valid || move_valid || waiting || active ||
      chains_busy;

  logic unused;
  assign unused = ^{failed_queue, starved, ev_packet, ev_marked, ev_truncated,
                    move_depth, desc_depth};
endmodule
