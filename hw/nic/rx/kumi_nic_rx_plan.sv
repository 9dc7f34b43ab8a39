// SPDX-License-Identifier: Apache-2.0
//
// Receive: chooses the buffers of each frame (VIRTIO_NET_F_MRG_RXBUF, virtio 1.2, 5.1.6.4: a frame
// takes as many chains as it needs), ahead of the frame's data.
//
// rec_*: a frame: bytes with its header, its queue, and whether it is to be received at all.
// live: queues that may be used. dry: see kumi_nic_fetch. hold: the buffers of queue `pick` are
//   being handed out and must not be cleared. The other ports of the buffers: see kumi_nic_buffers.
// m_cmd: for each frame, in order: drop it, or its queue and number of chains. m_desc: the segments
//   that take it, in order; flags.irq: the last one that a frame needs of a chain. m_chain: each
//   chain with its last segment, used or not; more: another one follows.
// A frame waits for buffers while some may still come; then it is dropped whole.
// Events: 0 not for this address, 1 no buffers, 2 the queue is not in use.
// Throughput: a frame every 4 cycles where its first segment holds it, else 6 cycles a segment.
module kumi_nic_rx_plan
  import kumi_nic_pkg::*, kumi_dma_pkg::*;
#(
    parameter int QUEUES = 2,  // 2..256
    parameter int PLACE_W = 7,  // bits of a place of kumi_nic_buffers
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,

    // frames
    input  logic              rec_valid,
    output logic              rec_ready,
    input  logic              rec_take,   // not to be dropped
    input  logic [      17:0] rec_bytes,
    input  logic [LOOK_W-1:0] rec_queue,

    // buffers
    input logic [QUEUES-1:0] live,
    input logic [QUEUES-1:0] dry,
    output logic hold,
    output logic [LOOK_W-1:0] pick,
    input logic [PLACE_W:0] first,
    input logic [PLACE_W:0] tail,
    input logic coming,
    input logic full,
    output logic read_first,
    output logic [PLACE_W-1:0] read_place,
    input nic_buffer_t read_seg,
    output logic free_valid,
    output logic [PLACE_W:0] free_to,

    // what is to be done
    output logic m_cmd_valid,
    input logic m_cmd_ready,
    output logic m_cmd_drop,
    output logic [15:0] m_cmd_chains,
    output logic m_desc_valid,
    input logic m_desc_ready,
    output dma_desc_t m_desc,
    output logic m_chain_valid,
    input logic m_chain_ready,
    output logic [15:0] m_chain_head,
    output logic [5:0] m_chain_descs,
    output logic m_chain_more,
    output logic [2:0] ev,
    output logic busy
);
  localparam logic [1:0] PATIENCE = 2'd3;

  typedef enum logic [2:0] {
    S_IDLE,
    S_LOAD,
    S_READ,
    S_SEE,
    S_DECIDE
  } state_e;
  state_e state_q;

  logic   fresh_q;  // at the queue's oldest segment
  logic   give_q;  // second pass: the segments are handed out
  logic   given_q;  // all of the frame's bytes have a segment
  logic fits_q, there_q, live_q, starves_q;
  logic [1:0] starved_q;
  logic [17:0] need_q, left_q, rest_q;  // bytes with the header
  logic [15:0] chains_q;
  logic [PLACE_W:0] pos_q;
  nic_buffer_t seg_q;

  // ---- decisions -----------------------------------------------------------------------------
  logic decide, unused_queue, starved, useful, single, repeats, gives, closes, done, stuck;
  assign decide = state_q == S_DECIDE;
  assign unused_queue = decide && !give_q && !live_q;
  assign starved = decide && !give_q && live_q && !there_q && starved_q == PATIENCE;
  assign useful = decide && (give_q || (live_q && there_q));
  // The whole frame in the oldest segment, a chain of its own: no second pass.
  assign single = useful && !give_q && fresh_q && fits_q && seg_q.last;
  assign repeats = useful && !give_q && fits_q && !(fresh_q && seg_q.last);
  assign gives = (useful && give_q && !given_q) || single;
  // A chain that a frame has begun belongs to it whole, even where it ends before.
  assign closes = useful && give_q && given_q && seg_q.last;
  // What goes to several places at once goes when all of them are ready.
  assign stuck = ((m_cmd_valid || single) && !m_cmd_ready) ||
      (gives && !(m_desc_ready && m_chain_ready)) || (closes && !m_chain_ready);
  assign done = single || (useful && give_q && (fits_q || given_q) && seg_q.last);

  assign m_cmd_valid = unused_queue || starved || repeats ||
      (single && m_desc_ready && m_chain_ready) ||
      (state_q == S_IDLE && rec_valid && !rec_take);
  assign m_cmd_drop = !single && !repeats;
  assign m_cmd_chains = chains_q;
  assign m_desc_valid = gives && m_chain_ready && (give_q || m_cmd_ready);
  assign m_desc = '{
          addr: seg_q.addr,
          length: fits_q ? 24'(left_q) : 24'(seg_q.length),
          zero: '0,
          flags: '{irq: seg_q.last || fits_q, default: '0}
      };
  assign m_chain_valid = closes || (gives && seg_q.last && m_desc_ready && (give_q || m_cmd_ready));
  assign m_chain_head = seg_q.head;
  assign m_chain_descs = seg_q.descs;
  assign m_chain_more = !fits_q && !closes;

  assign rec_ready = state_q == S_IDLE && (rec_take || m_cmd_ready);
  assign read_first = state_q == S_LOAD;
  assign read_place = pos_q[PLACE_W-1:0];
  assign busy = state_q != S_IDLE;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_IDLE: begin
        need_q <= rec_bytes;
        left_q <= rec_bytes;
        chains_q <= 16'd1;
        pick <= rec_queue;
        fresh_q <= 1'b1;
        starved_q <= '0;
        if (rec_valid && rec_take) state_q <= S_LOAD;
      end
      S_LOAD: state_q <= S_SEE;
      S_READ: state_q <= S_SEE;
      S_SEE: begin
        seg_q  <= read_seg;
        fits_q <= {4'd0, left_q} <= read_seg.length;
        rest_q <= left_q - read_seg.length[17:0];
        if (fresh_q) pos_q <= first;
        there_q <= (fresh_q ? first : pos_q) != tail;
        live_q <= live[pick];
        starves_q <= (dry[pick] || full) && !coming;
        state_q <= S_DECIDE;
      end
      default:
      if (!stuck) begin
        starved_q <= !there_q && starves_q ? starved_q + 1'b1 : '0;
        given_q   <= 1'b0;
        if (unused_queue || starved || done) begin
          give_q  <= 1'b0;
          state_q <= S_IDLE;
        end else if (!useful) begin
          state_q <= fresh_q ? S_LOAD : S_READ;
        end else if (repeats) begin
          give_q  <= 1'b1;
          fresh_q <= 1'b1;
          left_q  <= need_q;
          state_q <= S_LOAD;
        end else begin
          fresh_q <= 1'b0;
          given_q <= give_q && (fits_q || given_q);
          left_q  <= rest_q;
          if (seg_q.last) chains_q <= chains_q + 1'b1;
          pos_q   <= pos_q + 1'b1;
          state_q <= S_READ;
        end
      end
    endcase
    // Not cleared while its segments are given or set free.
    unique case (state_q)
      S_IDLE: hold <= 1'b0;
      S_LOAD, S_READ: hold <= give_q;
      S_SEE: hold <= give_q || live[pick];
      default: if (!stuck) hold <= done || repeats || (give_q && useful);
    endcase
    free_valid <= done && !stuck && !rst;
    free_to <= pos_q + 1'b1;
    ev <= {unused_queue && !stuck, starved && !stuck, rec_valid && rec_ready && !rec_take};
    if (rst) begin
      state_q <= S_IDLE;
      give_q <= 1'b0;
      given_q <= 1'b0;
      hold <= 1'b0;
      ev <= '0;
    end
  end

  logic unused;
  assign unused = ^seg_q.length;
endmodule
