// SPDX-License-Identifier: Apache-2.0
//
// Receive: frames from the wire, stored, and for each a record of what is to become of it.
//
// s_axis: s_axis.tready is always high. A bad frame is dropped.
// look_*: see kumi_nic_filter; spread, table_*: see kumi_nic_rss. Which queue: see
//   kumi_nic_rx_class; live: queues that may be used; steer_*: see kumi_nic_steer.
// coalesce: several segments of a flow become one packet (kumi_nic_rsc_plan), of IPv4 (0) and of
//   IPv6 (1).
// m_axis: whole packets: frames, or several that were joined. rec_*: of each, before it leaves:
//   whether it is for this device, its queue, its bytes, whether its checksum was verified
//   (kumi_nic_rx_csum), its hash, of how large segments it is.
// Events: 0 dropped: bad, 1 no room in the frame memory, 2 longer than that; 3, 4: see
//   kumi_nic_rx_class.
// Latency: 14 cycles from the last beat to the record where nothing is waited for. Throughput: a
//   beat a cycle.
module kumi_nic_rx_frames
  import kumi_nic_pkg::*;
#(
    parameter  int DATA_W = 512,            // bits of the streams: 512
    parameter  int QUEUES = 2,              // receive queues, 2..256
    parameter  int FRAMES = 65536,          // bytes of the frame memory, a power of two
    parameter  int FLOWS  = 128,            // in the steering table, a power of two
    localparam int LOOK_W = $clog2(QUEUES)
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
    input logic [QUEUES-1:0] live,
    input logic [1:0] coalesce,
    kumi_axis_if.src m_axis,
    output logic rec_valid,
    input logic rec_ready,
    output logic rec_take,
    output logic rec_good,
    output nic_hash_t rec_hash,
    output logic [LOOK_W-1:0] rec_queue,
    output logic [16:0] rec_bytes,
    output nic_gso_t rec_gso,
    output logic busy,
    output logic [4:0] ev
);
  localparam int BYTES = DATA_W / 8;
  localparam int LENGTHS = 256;  // frames in the frame memory
  localparam int LATENCY = 8;  // of kumi_nic_rx_class and kumi_nic_rx_csum

  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers of a flow are in one beat (%m)");
  end
  if (FRAMES < 16384 || (FRAMES & (FRAMES - 1)) != 0) begin : gen_check_frames
    $fatal(0, "FRAMES must be a power of two, 16384 at least (%m)");
  end

  // ---- whole frames --------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) narrow (), whole ();
  kumi_rec_if #(.W(17)) len ();
  logic [$clog2(FRAMES/BYTES):0] stored_beats;
  logic ev_good, ev_bad, ev_full, ev_oversize;

  assign narrow.tdata = s_axis.tdata;
  assign narrow.tkeep = s_axis.tkeep;
  assign narrow.tvalid = s_axis.tvalid;
  assign narrow.tlast = s_axis.tlast;
  assign narrow.tuser = s_axis.tuser[0];
  assign narrow.tid = '0;
  assign narrow.tdest = '0;
  assign s_axis.tready = narrow.tready;

  kumi_axis_frame_fifo #(
      .DEPTH(FRAMES / BYTES),
      .LEN_DEPTH(256)
  ) u_frames (
      .clk,
      .rst,
      .s_axis(narrow),
      .m_axis(whole),
      .m_len (len),
      .depth (stored_beats),
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  // ---- for whom, for which queue, and whether it arrived well --------------------------------
  logic in_beat, take, csum_done, csum_good;
  logic [LOOK_W-1:0] queue;
  nic_hash_t hash;
  nic_flow_t flow;
  logic flow_go, flow_ok, steer_hit;
  logic [LOOK_W-1:0] steer_queue;
  logic [LATENCY-2:0] stored_q;  // a frame has been stored
  logic [LATENCY-2:0] after_q;  // and so has the one before it
  logic before_q;  // the frame before has been stored
  nic_rsc_t rsc, info_rsc;
  nic_hash_t info_hash;
  logic [LOOK_W-1:0] info_queue;
  logic info_take, info_good, info_ready;
  logic info_room, info_valid, info_pop, info_after;
  logic [$clog2(LENGTHS)+1:0] info_depth;

  assign in_beat = s_axis.tvalid && s_axis.tready;

  kumi_nic_rx_class #(
      .DATA_W(DATA_W),
      .QUEUES(QUEUES)
  ) u_class (
      .clk,
      .rst,
      .in_valid (in_beat),
      .in_last  (s_axis.tlast),
      .in_data  (s_axis.tdata),
      .look_at,
      .look_take,
      .spread,
      .table_index,
      .table_queue,
      .flow,
      .flow_go,
      .flow_ok,
      .steer_hit,
      .steer_queue,
      .live,
      .out_take (take),
      .out_queue(queue),
      .out_hash (hash),
      .ev       (ev[4:3])
  );

  kumi_nic_steer #(
      .ENTRIES(FLOWS),
      .QUEUES (QUEUES)
  ) u_steer (
      .clk,
      .rst,
      .flow,
      .flow_go,
      .flow_ok,
      .hit  (steer_hit),
      .queue(steer_queue),
      .write(steer_write),
      .read (steer_read)
  );

  kumi_nic_rx_csum #(
      .DATA_W(DATA_W)
  ) u_csum (
      .clk,
      .rst,
      .in_valid (in_beat),
      .in_last  (s_axis.tlast),
      .in_data  (s_axis.tdata),
      .in_keep  (s_axis.tkeep),
      .out_valid(csum_done),
      .out_good (csum_good)
  );

  kumi_nic_rsc_class #(
      .DATA_W(DATA_W)
  ) u_rsc_class (
      .clk,
      .rst,
      .in_valid(in_beat),
      .in_last (s_axis.tlast),
      .in_data (s_axis.tdata),
      .out     (rsc)
  );

  always_ff @(posedge clk) begin
    stored_q <= rst ? '0 : {stored_q[LATENCY-3:0], ev_good};
    after_q  <= {after_q[LATENCY-3:0], before_q};
    if (ev_good || ev_bad || ev_full || ev_oversize) before_q <= ev_good;
    if (rst) before_q <= 1'b0;
  end

  // The frames of the memory's length records: both have the same ones, this one a few cycles
  // later.
  kumi_fifo #(
      .W(LOOK_W + 2 + $bits(nic_hash_t) + $bits(nic_rsc_t) + 1),
      .DEPTH(2 * LENGTHS)
  ) u_infos (
      .clk,
      .rst,
      .s_data ({hash, queue, take, csum_good, rsc, after_q[LATENCY-2]}),
      .s_valid(stored_q[LATENCY-2]),
      .s_ready(info_room),
      .m_data ({info_hash, info_queue, info_take, info_good, info_rsc, info_after}),
      .m_valid(info_valid),
      .m_ready(info_pop),
      .depth  (info_depth)
  );
  assign info_pop  = info_ready && len.valid;
  assign len.ready = info_ready && info_valid;
  assign ev[2:0]   = {ev_oversize, ev_full, ev_bad};

  // ---- several segments of a flow as one packet ------------------------------------------------
  nic_rsc_t linked;
  nic_rsc_op_t op, op_q, run, next;
  logic run_valid, run_ready, next_valid, next_ready, op_room, push_q, unused_room;
  logic [6:0] runs_depth;
  always_comb begin
    linked = info_rsc;
    linked.follows = info_rsc.follows && info_after;
  end

  kumi_nic_rsc_plan #(
      .LOOK_W(LOOK_W),
      .MOST  (FRAMES < 65536 ? FRAMES / 8 : 8192)
  ) u_rsc_plan (
      .clk,
      .rst,
      .enable (coalesce),
      .s_valid(info_valid && len.valid),
      .s_ready(info_ready),
      .s_take (info_take),
      .s_good (info_good),
      .s_hash (info_hash),
      .s_queue(info_queue),
      .s_bytes(len.data),
      .s_rsc  (linked),
      .m_valid(rec_valid),
      .m_ready(rec_ready),
      .m_room (op_room),
      .m_take (rec_take),
      .m_good (rec_good),
      .m_hash (rec_hash),
      .m_queue(rec_queue),
      .m_bytes(rec_bytes),
      .m_gso  (rec_gso),
      .m_op   (op),
      .busy
  );

  // Frames wait for theirs, so it may come a cycle later; one more than counted is on its way.
  localparam int RUNS = 64;
  assign op_room = runs_depth < 7'(RUNS - 1);
  always_ff @(posedge clk) begin
    push_q <= rec_valid && rec_ready && !rst;
    op_q   <= op;
  end

  kumi_fifo #(
      .W($bits(nic_rsc_op_t)),
      .DEPTH(RUNS),
      .STYLE(0)
  ) u_runs (
      .clk,
      .rst,
      .s_data (op_q),
      .s_valid(push_q),
      .s_ready(unused_room),
      .m_data (next),
      .m_valid(next_valid),
      .m_ready(next_ready),
      .depth  (runs_depth)
  );

  // Whether a run's last beat moves is known late in a cycle, too late to count.
  kumi_slice #(
      .W($bits(nic_rsc_op_t)),
      .MODE(2)
  ) u_run (
      .clk,
      .rst,
      .s_data (next),
      .s_valid(next_valid),
      .s_ready(next_ready),
      .m_data (run),
      .m_valid(run_valid),
      .m_ready(run_ready)
  );

  kumi_nic_rsc_join #(
      .DATA_W(DATA_W)
  ) u_rsc_join (
      .clk,
      .rst,
      .op_valid(run_valid),
      .op_ready(run_ready),
      .op(run),
      .s_axis(whole),
      .m_axis
  );

  logic unused;
  assign unused = ^{stored_beats, info_depth, info_room, csum_done, unused_room};
endmodule
