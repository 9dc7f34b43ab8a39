// SPDX-License-Identifier: Apache-2.0
//
// Receive side: frames to the buffers of their queue, each behind a virtio_net_hdr (virtio 1.2,
// 5.1.6.4), with VIRTIO_NET_F_MRG_RXBUF: a frame takes as many chains as it needs.
//
// s_axis: frames from the wire; s_axis.tready is always high. A bad frame is dropped.
// mac, promiscuous, others, pairs: see kumi_nic_control. Frames to another unicast address are
//   dropped. With several pairs the queue is chosen by the Toeplitz hash of addresses and ports of
//   IPv4 (without options, and of fragments the addresses alone), so that the frames of a flow stay
//   in order; anything else goes to queue 0.
// live: queues that may be used. The other ports are those of kumi_nic_queues and
//   kumi_nic_buffers.
// aw_*, w_*, b_*: writes, see kumi_dma_s2mm. m_used: chains that are filled, in order.
// A frame waits for buffers while some may still come (dry is low); then it is dropped whole.
// Events: 0 frames received, 1 dropped: bad, 2 no room in the frame memory, 3 longer than that, 4
//   not for this address, 5 no buffers, 6 the queue is not in use.
// Throughput: a beat a cycle; a frame costs 5 cycles and two for each of its segments at least.
module kumi_nic_rx
  import kumi_nic_pkg::*, kumi_dma_pkg::*;
#(
    parameter  int DATA_W = 512,             // bits of the memory port and of the stream
    parameter  int QUEUES = 2,               // receive queues, 2..256
    parameter  int FRAMES = 65536,           // bytes of the frame memory, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int EVENTS = 7
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,
    input logic [47:0] mac,
    input logic promiscuous,
    input logic others,
    input logic [7:0] pairs,
    input logic [QUEUES-1:0] live,

    input logic s_seg_valid,
    output logic s_seg_ready,
    input nic_seg_t s_seg,
    input logic s_fault,
    input logic taken_valid,
    input logic [LOOK_W-1:0] taken_queue,
    output logic [QUEUES-1:0] want,
    input logic [LOOK_W-1:0] look,
    output logic [5:0] budget,
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
  localparam int BYTES = DATA_W / 8;
  localparam int PLACE_W = 7;

  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers of a flow are in one beat (%m)");
  end

  // ---- whole frames --------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8)
  )
      narrow (), stored (), gated (), headed ();
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
      .m_axis(stored),
      .m_len (len),
      .depth (stored_beats),
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  // ---- for whom, and for which queue ---------------------------------------------------------
  logic [47:0] to;
  logic [23:0] spread;
  logic [95:0] flow;
  logic [31:0] hash;
  logic group, ours, ipv4, ports;
  logic [7:0] chosen;

  function automatic logic [47:0] swapped(input logic [47:0] a);
    return {a[7:0], a[15:8], a[23:16], a[31:24], a[39:32], a[47:40]};
  endfunction

  typedef enum logic [2:0] {
    S_IDLE,
    S_CHOOSE,
    S_WAIT,
    S_COUNT,
    S_GIVE,
    S_REST,
    S_MOVE,
    S_DROP
  } state_e;
  state_e state_q;

  logic [LOOK_W-1:0] vq_q;
  logic [17:0] need_q, left_q;  // bytes with the header
  logic [15:0] chains_q;
  logic ours_q, flow_q, moved_q;
  logic [PLACE_W-1:0] ahead_q;
  logic [31:0] bytes;
  logic coming, full;
  nic_seg_t seg;
  logic pop, desc_valid, desc_ready, frame_ends, chain_ends;
  dma_desc_t desc;

  assign to = swapped(stored.tdata[47:0]);
  assign group = to[40];
  assign ours = promiscuous || others || group || to == mac;
  assign ipv4 = stored.tdata[111:96] == 16'h0008;
  // Version 4 without options; TCP or UDP; neither a fragment nor the first of several.
  assign ports = stored.tdata[119:112] == 8'h45 &&
      (stored.tdata[191:184] == 8'd6 || stored.tdata[191:184] == 8'd17) &&
      {stored.tdata[165:160], stored.tdata[175:168]} == '0;
  for (genvar i = 0; i < 12; ++i) begin : gen_flow
    assign flow[8*(11-i)+:8] = i < 8 || ports ? stored.tdata[8*(26+i)+:8] : '0;
  end
  // The hash is a number between 0 and 1; so many pairs of that.
  assign spread = hash[31:16] * pairs;
  assign chosen = flow_q ? spread[23:16] : '0;

  kumi_nic_toeplitz u_hash (
      .clk,
      .data(flow),
      .hash
  );

  // ---- what breaks a queue -------------------------------------------------------------------
  // A chain that is of no use, or memory that refuses a frame.
  logic bad_valid, failed_q;
  logic [LOOK_W-1:0] bad_queue, failed_queue_q;
  assign break_valid = bad_valid || failed_q;
  assign break_queue = bad_valid ? bad_queue : failed_queue_q;

  // ---- buffers -------------------------------------------------------------------------------
  // Buffers that a frame has been promised stay, even if their queue ends meanwhile.
  logic [QUEUES-1:0] held;
  assign held = state_q == S_COUNT || state_q == S_GIVE || state_q == S_REST ?
      QUEUES'(1) << vq_q : '0;

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
      .pick(vq_q),
      .coming,
      .full,
      .bytes,
      .ahead(ahead_q),
      .read_seg(seg),
      .pop,
      .clear(~live & ~held),
      .ended,
      .drop_valid,
      .drop_queue,
      .break_valid(bad_valid),
      .break_queue(bad_queue),
      .break_drop
  );

  // No buffer will come, or there is no room for more of them than are here.
  logic starves;
  assign starves = (dry[vq_q] || full) && !coming;

  // A chain that a frame has begun belongs to it whole, even where it ends before.
  logic done_room, chain_valid, chain_room;
  assign frame_ends = 32'(left_q) <= seg.length;
  assign chain_ends = seg.last || frame_ends;
  assign desc_valid = state_q == S_GIVE && chain_room;
  assign desc = '{
          addr: seg.addr,
          length: frame_ends ? 24'(left_q) : seg.length[23:0],
          zero: '0,
          flags: '{irq: chain_ends, default: '0}
      };
  assign pop = (desc_valid && desc_ready) || state_q == S_REST;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_IDLE: begin
        need_q  <= 18'(len.data) + 18'(HEADER_BYTES);
        ours_q  <= ours;
        flow_q  <= ipv4;
        moved_q <= 1'b0;
        if (len.valid && stored.tvalid) state_q <= S_CHOOSE;
      end
      S_CHOOSE: begin
        vq_q <= chosen[LOOK_W-1:0];
        left_q <= need_q;
        ahead_q <= '0;
        chains_q <= 16'd1;
        state_q <= ours_q ? S_WAIT : S_DROP;
      end
      S_WAIT: begin
        if (!live[vq_q]) state_q <= S_DROP;
        else if (bytes >= 32'(need_q)) state_q <= S_COUNT;
        else if (starves) state_q <= S_DROP;
      end
      // The header in front of the frame says how many chains it takes.
      S_COUNT: begin
        ahead_q <= ahead_q + 1'b1;
        left_q  <= left_q - seg.length[17:0];
        if (seg.last) chains_q <= chains_q + 1'b1;
        if (frame_ends) begin
          chains_q <= chains_q;
          ahead_q  <= '0;
          left_q   <= need_q;
          state_q  <= S_GIVE;
        end
      end
      S_GIVE:
      if (desc_valid && desc_ready) begin
        left_q <= left_q - seg.length[17:0];
        if (frame_ends) state_q <= seg.last ? S_MOVE : S_REST;
      end
      S_REST:  if (seg.last) state_q <= S_MOVE;
      S_MOVE:  if (moved_q) state_q <= S_IDLE;
      default: if (moved_q) state_q <= S_IDLE;
    endcase
    if (stored.tvalid && stored.tready && stored.tlast) moved_q <= 1'b1;
    if (rst) begin
      state_q <= S_IDLE;
      moved_q <= 1'b0;
    end
  end

  // ---- the frame ----------------------------------------------------------------------------
  logic moves, drops;
  assign moves = (state_q == S_GIVE || state_q == S_REST || state_q == S_MOVE) && !moved_q;
  assign drops = state_q == S_DROP && !moved_q;
  assign gated.tdata = stored.tdata;
  assign gated.tkeep = stored.tkeep;
  assign gated.tvalid = stored.tvalid && moves;
  assign gated.tlast = stored.tlast;
  assign gated.tuser = '0;
  assign gated.tid = 8'(vq_q);
  assign gated.tdest = '0;
  assign stored.tready = (gated.tready && moves) || drops;
  assign len.ready = stored.tvalid && stored.tready && stored.tlast;

  kumi_axis_prepend #(
      .BYTES(HEADER_BYTES)
  ) u_header (
      .clk,
      .rst,
      .head  ({chains_q, 80'd0}),
      .s_axis(gated),
      .m_axis(headed)
  );

  logic done_valid, done_ready, waiting, active, starved, ev_packet, ev_marked, ev_truncated;
  dma_completion_t done;

  kumi_dma_recv #(
      .DATA_W(DATA_W),
      .BURST_BYTES(DATA_W == 512 ? 4096 : 1024),
      .WRITE_BEATS(512)
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
  logic [7:0] chain_vq;
  logic [15:0] chain_head;
  logic chain_more;
  logic [31:0] filled_q;
  logic [6:0] chain_depth;

  kumi_fifo #(
      .W(25),
      .DEPTH(64),
      .STYLE(0)
  ) u_chains (
      .clk,
      .rst,
      .s_data ({8'(vq_q), seg.head, !frame_ends}),
      .s_valid(desc_valid && desc_ready && chain_ends),
      .s_ready(chain_room),
      .m_data ({chain_vq, chain_head, chain_more}),
      .m_valid(chain_valid),
      .m_ready(m_used_valid && m_used_ready),
      .depth  (chain_depth)
  );

  assign done_room = !done.irq || m_used_ready;
  assign done_ready = chain_valid && done_room;
  assign m_used_valid = done_valid && done.irq && chain_valid;
  assign m_used = '{
          vq: chain_vq,
          head: chain_head,
          length: filled_q + 32'(done.length),
          more: chain_more
      };

  always_ff @(posedge clk) begin
    if (done_valid && done_ready) filled_q <= done.irq ? '0 : filled_q + 32'(done.length);
    if (!bad_valid) failed_q <= 1'b0;
    if (done_valid && done_ready && done.code != CODE_OK) begin
      failed_q <= 1'b1;
      failed_queue_q <= chain_vq[LOOK_W-1:0];
    end
    if (rst) begin
      filled_q <= '0;
      failed_q <= 1'b0;
    end
  end

  // ---- events --------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev <= '0;
    ev[0] <= gated.tvalid && gated.tready && gated.tlast;
    ev[1] <= ev_bad;
    ev[2] <= ev_full;
    ev[3] <= ev_oversize;
    ev[4] <= state_q == S_CHOOSE && !ours_q;
    ev[5] <= state_q == S_WAIT && live[vq_q] && bytes < 32'(need_q) && starves;
    ev[6] <= state_q == S_WAIT && !live[vq_q];
    if (rst) ev <= '0;
  end
  assign busy = state_q != S_IDLE || len.valid || waiting || active || chain_valid;

  logic unused;
  assign unused = ^{done, seg, stored_beats, chain_depth, ev_good, starved, ev_packet, ev_marked,
                    ev_truncated, stored.tuser, stored.tid, stored.tdest, spread[15:0],
                    hash[15:0], chosen};
endmodule
