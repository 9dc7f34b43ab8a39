// SPDX-License-Identifier: Apache-2.0
//
// Best-effort packets to frames of a local port.
//
// s_*: words of packets (head, data, tail), always accepted: the network never waits for a local
//   port, which deadlock freedom relies on.
// m_axis: complete frames with a correct CRC-32; tid: source board.
// Bad input: broken pulses for a packet that is aborted, has a wrong CRC-32 or no data; full when
//   the buffer of DEPTH words overflows. These packets are dropped.
module kumi_stdm_be_rx
  import kumi_stdm_pkg::*;
#(
    parameter int W     = 64,  // bits of a word
    parameter int DEPTH = 512  // buffer in words, a power of two
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic            [  1:0] s_kind,
    input  logic            [W-1:0] s_data,
    input  logic                    s_valid,
           kumi_axis_if.src         m_axis,
    output logic                    broken,
    output logic                    full
);
  localparam int KEEP_W = W / 8;
  localparam int LATENCY = W <= 64 ? 4 : 3 + $clog2(KEEP_W);  // of kumi_crc32

  if (m_axis.DATA_W != W || m_axis.ID_W < 8) begin : gen_check
    $fatal(0, "m_axis must have W bits of data and 8 of tid (%m)");
  end

  typedef struct packed {
    logic              valid;
    logic              last;
    logic              bad;
    logic [31:0]       crc;
    logic [KEEP_W-1:0] keep;
    logic [7:0]        src;
    logic [W-1:0]      data;
  } be_rx_beat_t;

  // One word is held until it is known whether it is the last.
  logic hold_q, empty_broken_q;
  logic [W-1:0] word_q;
  logic [7:0] src_q;
  be_rx_beat_t in;
  be_rx_beat_t [LATENCY-1:0] delay_q;
  logic [5:0] bytes;
  logic crc_valid;
  logic [31:0] crc;

  assign bytes = s_data[TAIL_BYTES+:6];

  always_comb begin
    in = '0;
    in.data = word_q;
    in.src = src_q;
    in.keep = '1;
    in.valid = s_valid && hold_q && (s_kind == WORD_DATA || s_kind == WORD_TAIL);
    if (s_kind == WORD_TAIL) begin
      in.last = 1'b1;
      in.crc  = s_data[31:0];
      in.bad  = s_data[TAIL_ABORT] || bytes == '0 || bytes > 6'(KEEP_W);
      for (int i = 0; i < KEEP_W; i++) in.keep[i] = 6'(i) < bytes || i == 0;
    end
  end

  always_ff @(posedge clk) begin
    empty_broken_q <= 1'b0;
    if (s_valid) begin
      case (s_kind)
        WORD_HEAD: begin
          hold_q <= 1'b0;
          src_q  <= s_data[15:8];
        end
        WORD_DATA: begin
          hold_q <= 1'b1;
          word_q <= s_data;
        end
        WORD_TAIL: begin
          hold_q         <= 1'b0;
          empty_broken_q <= !hold_q;
        end
        default: ;
      endcase
    end
    delay_q[0] <= in;
    for (int i = 1; i < LATENCY; i++) delay_q[i] <= delay_q[i-1];
    if (rst) begin
      hold_q         <= 1'b0;
      empty_broken_q <= 1'b0;
      for (int i = 0; i < LATENCY; i++) delay_q[i].valid <= 1'b0;
    end
  end

  kumi_crc32 #(
      .DATA_W(W)
  ) u_crc (
      .clk,
      .rst,
      .in_valid (in.valid),
      .in_last  (in.last),
      .in_data  (in.data),
      .in_keep  (in.keep),
      .out_valid(crc_valid),
      .out_crc  (crc)
  );

  kumi_axis_if #(
      .DATA_W(W),
      .USER_W(m_axis.USER_W),
      .ID_W  (m_axis.ID_W),
      .DEST_W(m_axis.DEST_W)
  ) checked ();
  kumi_rec_if #(.W(16)) no_len ();
  assign no_len.ready = 1'b1;

  be_rx_beat_t out;
  assign out = delay_q[LATENCY-1];
  assign checked.tvalid = out.valid;
  assign checked.tdata = out.data;
  assign checked.tkeep = out.keep;
  assign checked.tlast = out.last;
  assign checked.tuser = m_axis.USER_W'(out.last && (out.bad || crc != out.crc));
  assign checked.tid = m_axis.ID_W'(out.src);
  assign checked.tdest = '0;

  logic ev_good, ev_bad, ev_full, ev_oversize;
  logic [$clog2(DEPTH):0] depth;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH)
  ) u_store (
      .clk,
      .rst,
      .s_axis(checked),
      .m_axis(m_axis),
      .m_len (no_len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  always_ff @(posedge clk) begin
    broken <= (ev_bad || empty_broken_q) && !rst;
    full   <= (ev_full || ev_oversize) && !rst;
  end

  logic unused;
  assign unused = ^{depth, ev_good, no_len.data, no_len.valid, crc_valid, s_data};

  `include "kumi_assert.svh"
  `KUMI_ASSERT(a_latency, (out.valid && out.last) == crc_valid)
endmodule
