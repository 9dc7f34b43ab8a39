// SPDX-License-Identifier: Apache-2.0
//
// Transmit side: segments of chains to packets, and the chains back when their memory was read.
//
// s_seg, s_fault: see kumi_nic_queues; queue CTRL is the control queue, the others transmit.
// ar_*, r_*: reads, see kumi_dma_mm2s.
// m_axis: what the readable part of each chain holds, from the virtio_net_hdr on; tdest is its
//   queue. Marked bad: to be thrown away.
// m_used: chains of transmit queues whose memory has been read. m_ack: of each command of the
//   control queue the first segment that the device may write, and where a result may go.
//   Not writable: the packet was broken off, and there is nothing to answer.
// break_*: a chain that is of no use: a transmit chain with a writable segment, a command without a
//   readable or without a writable one, a readable segment behind a writable one, one of 128 KiB or
//   more or behind that many bytes, so that no queue keeps the others waiting, or memory that did
//   not answer. With drop it does not come back.
// Throughput: a segment a cycle, a beat a cycle.
module kumi_nic_tx
  import kumi_nic_pkg::*, kumi_dma_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port and of the stream
    parameter int CTRL   = 1     // number of the control queue
) (
    input logic clk,
    input logic rst,

    input logic s_valid,
    output logic s_ready,
    input nic_seg_t s_seg,
    input logic s_fault,

    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    output logic [7:0] ar_len,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,

    kumi_axis_if.src m_axis,
    output logic m_used_valid,
    input logic m_used_ready,
    output nic_used_t m_used,
    output logic m_ack_valid,
    input logic m_ack_ready,
    output nic_ack_t m_ack,
    output logic break_valid,
    output logic [7:0] break_queue,
    output logic drop,
    output logic busy
);
  // ---- segments to descriptors ---------------------------------------------------------------
  // One segment is held back: only the next one tells whether it is the last that is read.
  typedef enum logic [1:0] {
    S_READ,   // the readable part
    S_WRITE,  // behind it
    S_ABORT   // the rest of a chain that is of no use
  } state_e;
  state_e   state_q;

  nic_seg_t held_q;
  logic held_valid_q, desc_valid, desc_ready, take, ends, wrong, long, ctrl, cut, mem_break;
  logic [18:0] total_q;  // bytes of the chain, until it is too long
  dma_completion_t done;
  logic [4:0] ack_depth;
  logic ack_valid, ack_ready;
  logic moves, answers, blocked, breaks, fails_q;
  logic [7:0] fails_queue_q;
  nic_seg_t answer_q;  // the first segment of a command that may be written
  logic second_q, beside_q;  // the second one is known, and long enough for a result
  logic [63:0] next_q;  // its address
  nic_ack_t ack;
  dma_desc_t desc;

  // A segment with what can be said of it alone.
  typedef struct packed {
    logic fault;
    logic oversize;
    logic ctrl;
    nic_seg_t seg;
  } nic_tx_seg_t;
  nic_tx_seg_t in_bits, now;
  nic_seg_t seg;
  logic valid, ready;

  assign in_bits = '{
          fault: s_fault,
          oversize: s_seg.length[31:17] != '0,
          ctrl: s_seg.vq == 8'(CTRL),
          seg: s_seg
      };
  kumi_slice #(
      .W($bits(nic_tx_seg_t)),
      .MODE(2)
  ) u_in (
      .clk,
      .rst,
      .s_data (in_bits),
      .s_valid(s_valid),
      .s_ready(s_ready),
      .m_data (now),
      .m_valid(valid),
      .m_ready(ready)
  );
  assign seg = now.seg;
  assign ctrl = now.ctrl;

  // A wrong segment ends the packet at once, marked bad by a descriptor of no length.
  assign long = now.oversize || (!seg.first && total_q[18:17] != '0);
  assign wrong = long || (seg.write && (!ctrl || seg.first)) ||
      (!seg.write && (state_q == S_WRITE || (ctrl && seg.last)));
  assign cut = valid && (now.fault || wrong) && state_q != S_ABORT;
  assign ends = held_q.last || (valid && seg.write && !now.fault && !wrong);

  // The held segment moves on when it is known what follows it.
  assign desc_valid = held_valid_q && (held_q.last || (valid && !blocked));
  assign desc = '{
          addr: held_q.addr,
          length: cut && !held_q.last ? '0 : held_q.length[23:0],
          zero: '0,
          flags: '{
              dest: held_q.vq,
              eop: ends || (cut && !held_q.last),
              sop: held_q.first,
              default: '0
          }
      };

  // The first byte that may be written takes the answer, once the command is known to be whole; one
  // that breaks off behind its first segment has a place here as well, without an answer.
  assign moves = !held_valid_q || (desc_valid && desc_ready);
  assign answers = valid && state_q != S_ABORT &&
      (cut ? ctrl && !seg.first : seg.write && seg.last);
  assign blocked = answers && !ack_ready;
  assign ack_valid = answers && moves;
  assign take = valid && moves && !blocked;
  assign ready = moves && !blocked;
  assign breaks = take && (cut || state_q == S_ABORT);
  always_comb begin
    ack.seg = state_q == S_WRITE ? answer_q : seg;
    // What identifies the chain comes with its last segment.
    ack.seg.head = seg.head;
    ack.seg.descs = seg.descs;
    if (cut) ack.seg.write = 1'b0;
    ack.behind = ack.seg.length >= 32'd9;
    ack.beside = state_q == S_WRITE && answer_q.length == 32'd1 &&
        (second_q ? beside_q : seg.length >= 32'd8);
    ack.next = second_q ? next_q : seg.addr;
  end

  always_ff @(posedge clk) begin
    break_valid <= 1'b0;
    drop <= 1'b0;
    if (desc_valid && desc_ready && (held_q.last || take)) held_valid_q <= 1'b0;
    if (take) begin
      if (state_q == S_READ) answer_q <= seg;
      second_q <= state_q == S_WRITE;
      if (!second_q) {beside_q, next_q} <= {seg.length >= 32'd8, seg.addr};
      break_queue <= seg.vq;
      total_q <= (seg.first ? '0 : total_q) + 19'(seg.length[16:0]);
      if (cut) begin
        break_valid <= 1'b1;
        // It counts as gone at its end; where that is a fault, the fault counts.
        drop <= !now.fault && seg.last;
        state_q <= seg.last || now.fault ? S_READ : S_ABORT;
      end else if (state_q == S_ABORT) begin
        break_valid <= seg.last && !now.fault;
        drop <= seg.last && !now.fault;
        if (seg.last || now.fault) state_q <= S_READ;
      end else if (seg.write) begin
        state_q <= seg.last ? S_READ : S_WRITE;
      end else begin
        held_q <= seg;
        held_valid_q <= 1'b1;
      end
    end
    // Memory that did not answer is told when no chain is.
    if (!breaks) fails_q <= 1'b0;
    if (fails_q && !breaks) begin
      break_valid <= 1'b1;
      break_queue <= fails_queue_q;
    end
    if (mem_break) begin
      fails_q <= 1'b1;
      fails_queue_q <= done.dest;
    end
    if (rst) begin
      state_q <= S_READ;
      held_valid_q <= 1'b0;
      break_valid <= 1'b0;
      fails_q <= 1'b0;
    end
  end

  kumi_fifo #(
      .W($bits(nic_ack_t)),
      .DEPTH(16),
      .STYLE(0)
  ) u_acks (
      .clk,
      .rst,
      .s_data (ack),
      .s_valid(ack_valid && take),
      .s_ready(ack_ready),
      .m_data (m_ack),
      .m_valid(m_ack_valid),
      .m_ready(m_ack_ready),
      .depth  (ack_depth)
  );

  // ---- reading -------------------------------------------------------------------------------
  // The decision and the first burst's address are in different cycles.
  logic [$bits(dma_desc_t)+15:0] queued;
  logic queued_valid, queued_ready;
  kumi_slice #(
      .W($bits(dma_desc_t) + 16),
      .MODE(2)
  ) u_descs (
      .clk,
      .rst,
      .s_data ({held_q.head, desc}),
      .s_valid(desc_valid),
      .s_ready(desc_ready),
      .m_data (queued),
      .m_valid(queued_valid),
      .m_ready(queued_ready)
  );
  dma_desc_t read_desc;
  assign read_desc = queued[$bits(dma_desc_t)-1:0];

  logic read_valid, read_ready, done_valid, done_ready, waiting, active, ev_packet, ev_truncated;
  dma_completion_t read_done;

  kumi_dma_send #(
      .DATA_W(DATA_W),
      .BURST_BYTES(DATA_W == 512 ? 4096 : 1024),
      .READ_BEATS(512),
      .METAS(128)
  ) u_read (
      .clk,
      .rst,
      .rst_ring(rst),
      .reset_source(1'b0),
      .run(1'b1),
      .s_valid(queued_valid),
      .s_ready(queued_ready),
      .s_desc(read_desc),
      .s_count(queued[$bits(dma_desc_t)+:16]),
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .r_valid,
      .r_data,
      .r_resp,
      .m_axis,
      .done_valid(read_valid),
      .done_ready(read_ready),
      .done(read_done),
      .waiting,
      .active,
      .ev_packet,
      .ev_truncated
  );

  // ---- chains back ---------------------------------------------------------------------------
  // Whether a completion is a used chain is known when it is stored.
  logic [COMPLETION_W-1:0] done_bits;
  logic [4:0] done_depth;
  logic read_used, done_used;
  assign read_used = read_done.eop && read_done.code != CODE_ILLEGAL && read_done.dest != 8'(CTRL);

  kumi_fifo #(
      .W(1 + COMPLETION_W),
      .DEPTH(16),
      .STYLE(0)
  ) u_done (
      .clk,
      .rst,
      .s_data ({read_used, read_done}),
      .s_valid(read_valid),
      .s_ready(read_ready),
      .m_data ({done_used, done_bits}),
      .m_valid(done_valid),
      .m_ready(done_ready),
      .depth  (done_depth)
  );
  assign done = done_bits;

  // What a chain had of a packed ring, until it is back: as many as kumi_dma_send and the queues
  // around it can hold, so there is always room.
  logic descs_room, descs_valid, descs_put_q;
  logic [5:0] done_descs, descs_q;
  logic [8:0] descs_depth;
  always_ff @(posedge clk) begin
    descs_put_q <= desc_valid && desc_ready && desc.flags.eop && !rst;
    descs_q <= held_q.descs;
  end
  kumi_fifo #(
      .W(6),
      .DEPTH(256),
      .STYLE(0)
  ) u_descs_of (
      .clk,
      .rst,
      .s_data (descs_q),
      .s_valid(descs_put_q),
      .s_ready(descs_room),
      .m_data (done_descs),
      .m_valid(descs_valid),
      .m_ready(done_valid && done_ready && done.eop),
      .depth  (descs_depth)
  );
  assign m_used_valid = done_valid && !fails_q && done_used;
  assign m_used = '{
          vq: done.dest,
          head: done.count,
          descs: done_descs,
          length: '0,
          more: 1'b0
      };
  assign done_ready = (m_used_ready || !m_used_valid) && !fails_q;
  assign mem_break = done_valid && done_ready && done.code != CODE_OK && done.code != CODE_ILLEGAL;

  assign busy = valid || held_valid_q || queued_valid || waiting || active || done_valid;

  logic unused;
  assign unused = ^{done, held_q.write, done_depth, ack_depth, ev_packet, ev_truncated,
                    descs_room, descs_valid, descs_depth};
endmodule
