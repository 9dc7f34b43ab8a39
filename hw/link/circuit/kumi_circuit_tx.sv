// SPDX-License-Identifier: Apache-2.0
//
// Packetiser: frames to the words of a circuit, a header word with length and CRC-32
// (kumi_circuit_pkg), then the frame's bytes in whole words.
//
// s_axis: frames. A frame is stored before its header is sent, since the header has its length.
//   s_axis stalls while the buffer is full.
// m_axis: words, tlast with each (circuits have no other framing). Unused bytes of the last word
//   are zero.
// Latency: 3 cycles from the last beat to the header (4 with a DEPTH above 64), and not before the
//   CRC is known (kumi_crc32 + 2). Throughput: one word per cycle, frames back to back.
// Bad input: a frame that is marked bad, longer than DEPTH words or than 65,535 bytes is dropped
//   with a pulse on ev_drop.
module kumi_circuit_tx
  import kumi_circuit_pkg::*;
#(
    parameter int DEPTH  = 2048,  // words of the store, a power of two
    parameter int FRAMES = 32     // frames in it, a power of two, at least 16
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_sent,
    output logic ev_drop
);
  localparam int W = s_axis.DATA_W;
  localparam int KEEP_W = W / 8;
  localparam int LATENCY = W <= 64 ? 4 : 3 + $clog2(KEEP_W);  // of kumi_crc32

  if (W < 64 || m_axis.DATA_W != W) begin : gen_check_w
    $fatal(0, "s_axis and m_axis must have the same width of at least 64 bits (%m)");
  end
  if (FRAMES < 16 || DEPTH * KEEP_W > 131072) begin : gen_check_depth
    $fatal(0, "FRAMES must be at least 16, DEPTH at most 128 KiB (%m)");
  end

  kumi_axis_if #(
      .DATA_W(W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  )
      gated (), stored ();
  kumi_rec_if #(.W(17)) len ();

  logic room_q;  // room for the CRCs of frames in the CRC pipeline
  assign gated.tdata = s_axis.tdata;
  assign gated.tkeep = s_axis.tkeep;
  assign gated.tlast = s_axis.tlast;
  assign gated.tuser = s_axis.tuser;
  assign gated.tid = s_axis.tid;
  assign gated.tdest = s_axis.tdest;
  assign gated.tvalid = s_axis.tvalid && room_q;
  assign s_axis.tready = gated.tready && room_q;

  logic ev_good, ev_bad, ev_full, ev_oversize;
  logic [$clog2(DEPTH):0] depth;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH),
      .DROP_FULL(1'b0),
      .LEN_DEPTH(FRAMES)
  ) u_store (
      .clk,
      .rst,
      .s_axis(gated),
      .m_axis(stored),
      .m_len (len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  logic crc_done, crc_push, crc_valid, crc_take, crc_ready;
  logic [31:0] crc, crc_head;
  logic [LATENCY-2:0] good_q;  // ev_good comes one cycle after the last beat
  logic [$clog2(FRAMES):0] crc_depth;

  kumi_crc32 #(
      .DATA_W(W)
  ) u_crc (
      .clk,
      .rst,
      .in_valid (gated.tvalid && gated.tready),
      .in_last  (gated.tlast),
      .in_data  (gated.tdata),
      .in_keep  (gated.tkeep),
      .out_valid(crc_done),
      .out_crc  (crc)
  );

  always_ff @(posedge clk) begin
    good_q <= rst ? '0 : (LATENCY - 1)'({good_q, ev_good});
    room_q <= 32'(crc_depth) < FRAMES - LATENCY - 2 && !rst;
  end
  assign crc_push = crc_done && good_q[LATENCY-2];

  kumi_fifo #(
      .W(32),
      .DEPTH(FRAMES)
  ) u_crcs (
      .clk,
      .rst,
      .s_data (crc),
      .s_valid(crc_push),
      .s_ready(crc_ready),
      .m_data (crc_head),
      .m_valid(crc_valid),
      .m_ready(crc_take),
      .depth  (crc_depth)
  );

  // ---- Words ------------------------------------------------------------------------------------
  logic inside_q, drop_q, out_free, head_ok, too_long, take;
  circuit_header_t head;
  logic [W-1:0] masked;

  assign head.bytes = len.data[15:0];
  assign head.crc = crc_head;
  assign head.check = head_check({len.data[15:0], crc_head});
  assign too_long = len.data[16];
  assign head_ok = !inside_q && len.valid && crc_valid;
  assign out_free = !m_axis.tvalid || m_axis.tready;
  assign take = head_ok && out_free;
  assign len.ready = take;
  assign crc_take = take;
  assign stored.tready = inside_q && (out_free || drop_q);

  always_comb begin
    for (int i = 0; i < KEEP_W; i++) begin
      masked[8*i+:8] = stored.tdata[8*i+:8] & {8{stored.tkeep[i]}};
    end
  end

  always_ff @(posedge clk) begin
    ev_sent <= 1'b0;
    if (out_free) begin
      m_axis.tvalid <= (take && !too_long) || (inside_q && stored.tvalid && !drop_q);
      m_axis.tdata  <= inside_q ? masked : W'(head);
    end
    if (take) begin
      inside_q <= 1'b1;
      drop_q   <= too_long;
    end else if (stored.tvalid && stored.tready && stored.tlast) begin
      inside_q <= 1'b0;
      ev_sent  <= !drop_q && !rst;
    end
    ev_drop <= (ev_bad || ev_full || ev_oversize || (take && too_long)) && !rst;
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      inside_q      <= 1'b0;
      drop_q        <= 1'b0;
    end
  end

  assign m_axis.tkeep = '1;
  assign m_axis.tlast = 1'b1;
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^depth;

  `include "kumi_assert.svh"
  `KUMI_ASSERT(a_crc, !crc_push || crc_ready)
  `KUMI_ASSERT(a_latency, !good_q[LATENCY-2] || crc_done)
endmodule
