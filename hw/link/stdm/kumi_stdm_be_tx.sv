// SPDX-License-Identifier: Apache-2.0
//
// Frames of a local port to best-effort packets: head, words, tail with CRC-32.
//
// s_axis: frames; tdest = {local port, board} of the destination, 4 and 8 bits, with the first
//   beat. A frame is stored before it is sent, so that a slow source does not block a path through
//   the network.
// m_*: words of packets, m_ready may stall. One word per cycle, packets back to back.
// Bad input: frames marked bad, or longer than DEPTH words, are dropped with a pulse on ev_drop.
module kumi_stdm_be_tx
  import kumi_stdm_pkg::*;
#(
    parameter int W     = 64,  // bits of a word
    parameter int DEPTH = 512  // buffer in words, a power of two
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic            [  7:0] board,
           kumi_axis_if.snk         s_axis,
    output logic            [  1:0] m_kind,
    output logic            [W-1:0] m_data,
    output logic                    m_valid,
    input  logic                    m_ready,
    output logic                    ev_drop
);
  localparam int KEEP_W = W / 8;
  localparam int LATENCY = W <= 64 ? 4 : 3 + $clog2(KEEP_W);  // of kumi_crc32

  if (s_axis.DATA_W != W || s_axis.DEST_W < 12) begin : gen_check
    $fatal(0, "s_axis must have W bits of data and 12 of tdest (%m)");
  end

  kumi_axis_if #(
      .DATA_W(W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) stored ();
  kumi_rec_if #(.W(16)) no_len ();
  assign no_len.ready = 1'b1;

  logic ev_good, ev_bad, ev_full, ev_oversize;
  logic [$clog2(DEPTH):0] depth;

  // The CRCs wait in their own FIFO, which short frames could overflow.
  logic crc_room;
  kumi_axis_if #(
      .DATA_W(W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) gated ();
  assign gated.tdata = s_axis.tdata;
  assign gated.tkeep = s_axis.tkeep;
  assign gated.tlast = s_axis.tlast;
  assign gated.tuser = s_axis.tuser;
  assign gated.tid = s_axis.tid;
  assign gated.tdest = s_axis.tdest;
  assign gated.tvalid = s_axis.tvalid && crc_room;
  assign s_axis.tready = gated.tready && crc_room;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH),
      .DROP_FULL(1'b0)
  ) u_store (
      .clk,
      .rst,
      .s_axis(gated),
      .m_axis(stored),
      .m_len (no_len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  logic crc_done, crc_push, crc_valid, crc_take, crc_ready;
  logic [31:0] crc, crc_head;
  logic [LATENCY-2:0] good_q;  // ev_good is one cycle after the last beat
  logic [5:0] crc_depth;

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
    good_q   <= rst ? '0 : (LATENCY - 1)'({good_q, ev_good});
    crc_room <= crc_depth < 6'(32 - LATENCY - 2) && !rst;
    ev_drop  <= (ev_bad || ev_full || ev_oversize) && !rst;
  end
  assign crc_push = crc_done && good_q[LATENCY-2];

  kumi_fifo #(
      .W(32),
      .DEPTH(32)
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

  // ---- Packets ----------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    HEAD,
    DATA,
    TAIL
  } stdm_be_tx_state_e;
  stdm_be_tx_state_e state_q;
  logic move;
  logic [5:0] last_bytes_q, bytes;
  be_header_t head;

  always_comb begin
    bytes = '0;
    for (int i = 0; i < KEEP_W; i++) bytes += 6'(stored.tkeep[i]);
    head = '{
        zero: '0,
        bytes: '0,
        port: stored.tdest[11:8],
        src: board,
        dest: stored.tdest[7:0]
    };
    m_kind = WORD_DATA;
    m_data = stored.tdata;
    m_valid = stored.tvalid;
    case (state_q)
      HEAD: begin
        m_kind = WORD_HEAD;
        m_data = W'(head);
      end
      DATA: ;
      default: begin
        m_kind = WORD_TAIL;
        m_valid = crc_valid;
        m_data = '0;
        m_data[31:0] = crc_head;
        m_data[TAIL_BYTES+:6] = last_bytes_q;
      end
    endcase
  end
  assign move = m_valid && m_ready;
  assign stored.tready = state_q == DATA && m_ready;
  assign crc_take = state_q == TAIL && m_ready;

  always_ff @(posedge clk) begin
    if (state_q == DATA) last_bytes_q <= bytes;
    if (move) begin
      case (state_q)
        HEAD: state_q <= DATA;
        DATA: if (stored.tlast) state_q <= TAIL;
        default: state_q <= HEAD;
      endcase
    end
    if (rst) state_q <= HEAD;
  end

  logic unused;
  assign unused = ^{depth, no_len.data, no_len.valid};

  `include "kumi_assert.svh"
  `KUMI_ASSERT(a_crc, !crc_push || crc_ready)
  `KUMI_ASSERT(a_latency, !good_q[LATENCY-2] || crc_done)
endmodule
