// SPDX-License-Identifier: Apache-2.0
//
// Receive segment coalescing: joins the frames of a run to one packet (virtio 1.2, 5.1.6.4).
//
// op_*: a run, see kumi_nic_rsc_plan. s_axis: its frames, one after the other; m_axis: the packet.
//   A run of one frame passes unchanged. Else the headers of the first frame are those of the
//   packet, with its length, checksum of IPv4, PSH if the last one has it, and for the TCP checksum
//   the sum of the pseudo header, as NEEDS_CSUM wants it; of the others only the payload is left.
// Latency 5 cycles. Throughput: a beat a cycle, and a cycle where a packet's last beat is two.
module kumi_nic_rsc_join
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512  // bits of the streams: 512
) (
    input logic clk,
    input logic rst,
    input logic op_valid,
    output logic op_ready,
    input nic_rsc_op_t op,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int BYTES = DATA_W / 8;
  localparam int COUNT_W = $clog2(BYTES + 1);
  localparam int LANE_W = $clog2(BYTES);

  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers are in one beat and the options (%m)");
  end

  // ---- where we are --------------------------------------------------------------------------
  logic [5:0] frame_q;  // of the run
  logic [1:0] beat_q;  // of the frame, up to 2
  logic move, whole, skips, last_frame, piece_ready;
  logic [6:0] headers;
  logic [COUNT_W-1:0] here;

  assign headers = nic_gso_headers(op.v6, op.options);
  assign last_frame = frame_q == op.more;
  assign op_ready = move && s_axis.tlast && last_frame;
  assign move = s_axis.tvalid && s_axis.tready;
  // A beat that has nothing but headers vanishes.
  assign whole = frame_q == '0;
  assign skips = !whole && beat_q == '0 && headers[6];
  assign s_axis.tready = op_valid && piece_ready;

  always_ff @(posedge clk) begin
    if (move) begin
      beat_q <= s_axis.tlast ? '0 : beat_q == 2'd2 ? 2'd2 : beat_q + 1'b1;
      if (s_axis.tlast) frame_q <= last_frame ? '0 : frame_q + 1'b1;
    end
    if (rst) begin
      beat_q  <= '0;
      frame_q <= '0;
    end
  end

  kumi_keep_to_count #(
      .KEEP_W(BYTES)
  ) u_here (
      .keep (s_axis.tkeep),
      .count(here)
  );

  // ---- what counts of a beat -----------------------------------------------------------------
  typedef struct packed {
    logic [DATA_W-1:0] data;
    logic [LANE_W-1:0] lo;
    logic [COUNT_W-1:0] count;
    logic start;
    logic flush;
  } piece_t;
  piece_t piece, put;
  logic put_valid, put_ready;

  always_comb begin
    piece.data = s_axis.tdata;
    if (op.more != '0 && whole && beat_q == '0 && !op.v6) begin
      piece.data[8*16+:16] = {op.length[7:0], op.length[15:8]};
      piece.data[8*24+:16] = {op.csum[7:0], op.csum[15:8]};
      piece.data[8*50+:16] = {op.pseudo[7:0], op.pseudo[15:8]};
      if (op.push) piece.data[8*47+3] = 1'b1;
    end
    if (op.more != '0 && whole && beat_q == '0 && op.v6) begin
      piece.data[8*18+:16] = {op.length[7:0], op.length[15:8]};
    end
    if (op.more != '0 && whole && beat_q == 2'd1 && op.v6) begin
      piece.data[8*6+:16] = {op.pseudo[7:0], op.pseudo[15:8]};
      if (op.push) piece.data[8*3+3] = 1'b1;
    end
    piece.lo = '0;
    if (!whole && beat_q == '0) piece.lo = headers[LANE_W-1:0];
    if (!whole && beat_q == 2'd1 && headers[6]) piece.lo = headers[LANE_W-1:0];
    piece.count = here - COUNT_W'(piece.lo);
    piece.start = whole && beat_q == '0;
    piece.flush = s_axis.tlast && last_frame;
  end

  kumi_slice #(
      .W($bits(piece_t)),
      .MODE(2)
  ) u_piece (
      .clk,
      .rst,
      .s_data (piece),
      .s_valid(s_axis.tvalid && op_valid && !skips),
      .s_ready(piece_ready),
      .m_data (put),
      .m_valid(put_valid),
      .m_ready(put_ready)
  );

  // ---- side by side --------------------------------------------------------------------------
  logic first;
  logic [0:0] tag, user;
  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .PIPE  (1'b1)
  ) u_realign (
      .clk,
      .rst,
      .s_data (put.data),
      .s_lo   (put.lo),
      .s_count(put.count),
      .s_start(put.start),
      .s_lane ('0),
      .s_tag  (1'b0),
      .s_flush(put.flush),
      .s_user (1'b0),
      .s_valid(put_valid),
      .s_ready(put_ready),
      .m_data (m_axis.tdata),
      .m_keep (m_axis.tkeep),
      .m_first(first),
      .m_last (m_axis.tlast),
      .m_tag  (tag),
      .m_user (user),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^{first, tag, user, s_axis.tuser, s_axis.tid, s_axis.tdest};
endmodule
