// SPDX-License-Identifier: Apache-2.0
//
// Receive: frames from the wire, stored, and for each a record of what is to become of it.
//
// s_axis: s_axis.tready is always high. A bad frame is dropped.
// look_*: see kumi_nic_filter; spread, table_*: see kumi_nic_rss. Which queue: see
//   kumi_nic_rx_class.
// m_axis: whole frames. rec_*: of each frame, before it leaves: whether it is for this device, its
//   queue, its bytes, whether its checksum was verified (kumi_nic_rx_csum).
// Events: 0 dropped: bad, 1 no room in the frame memory, 2 longer than that.
// Latency: 10 cycles from the last beat to the record. Throughput: a beat a cycle.
module kumi_nic_rx_frames
  import kumi_nic_pkg::*;
#(
    parameter  int DATA_W = 512,            // bits of the streams: 512
    parameter  int QUEUES = 2,              // receive queues, 2..256
    parameter  int FRAMES = 65536,          // bytes of the frame memory, a power of two
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
    kumi_axis_if.src m_axis,
    output logic rec_valid,
    input logic rec_ready,
    output logic rec_take,
    output logic rec_good,
    output logic [LOOK_W-1:0] rec_queue,
    output logic [16:0] rec_bytes,
    output logic [2:0] ev
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
  kumi_axis_if #(.DATA_W(DATA_W)) narrow ();
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
      .m_axis,
      .m_len (len),
      .depth (stored_beats),
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  // ---- for whom, for which queue, and whether it arrived well --------------------------------
  logic in_beat, take, csum_done, csum_good;
  logic [ LOOK_W-1:0] queue;
  logic [LATENCY-2:0] stored_q;  // a frame has been stored
  logic info_room, info_valid, info_pop;
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
      .out_take (take),
      .out_queue(queue)
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

  always_ff @(posedge clk) stored_q <= rst ? '0 : {stored_q[LATENCY-3:0], ev_good};

  // The frames of the memory's length records: both have the same ones, this one a few cycles
  // later.
  kumi_fifo #(
      .W(LOOK_W + 2),
      .DEPTH(2 * LENGTHS)
  ) u_infos (
      .clk,
      .rst,
      .s_data ({queue, take, csum_good}),
      .s_valid(stored_q[LATENCY-2]),
      .s_ready(info_room),
      .m_data ({rec_queue, rec_take, rec_good}),
      .m_valid(info_valid),
      .m_ready(info_pop),
      .depth  (info_depth)
  );
  assign rec_valid = info_valid && len.valid;
  assign info_pop = rec_ready && len.valid;
  assign len.ready = rec_ready && info_valid;
  assign rec_bytes = len.data;
  assign ev = {ev_oversize, ev_full, ev_bad};

  logic unused;
  assign unused = ^{stored_beats, info_depth, info_room, csum_done};
endmodule
