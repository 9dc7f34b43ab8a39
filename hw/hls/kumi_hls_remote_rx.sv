// SPDX-License-Identifier: Apache-2.0
//
// Channels that kernels of other boards write: words out of messages (kumi_hls_remote_pkg).
//
// s_msg: frames of messages, in order by peer; tid: the peer; tuser: {last, first, bad}. It is
//   always ready, unless a sender sends more than its credit. m_data, m_valid, m_ready: a channel
//   each. report: what is to be sent of the words that were read, to whoever has written them;
//   report_sent with report_index: one has gone. credit_*: a report came. stop: nothing is handed
//   on.
// Latency: 3 cycles. One word per cycle.
// Bad input: a header of an unknown kind or channel, also of a report: the frame is dropped
//   (ev_drop: pulse). lost: pulse, a sender has aborted a message.
module kumi_hls_remote_rx
  import kumi_hls_remote_pkg::*;
#(
    parameter int RECEIVES = 1,  // channels, 1..16
    parameter int SENDS    = 1,  // channels the other way, of which reports come, 1..16
    parameter int PEER_W   = 4   // bits of a peer's number
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_msg,

    output logic [RECEIVES-1:0][REMOTE_W-1:0] m_data,
    output logic [RECEIVES-1:0]               m_valid,
    input  logic [RECEIVES-1:0]               m_ready,

    output remote_report_t [RECEIVES-1:0] report,
    input logic report_sent,
    input logic [7:0] report_index,
    output logic credit_valid,
    output logic [7:0] credit_to,
    output logic [15:0] credit_count,

    input  logic stop,
    output logic lost,
    output logic ev_drop,
    output logic busy
);
  localparam int PEERS = 1 << PEER_W;

  if (RECEIVES < 1 || RECEIVES > 16 || SENDS < 1 || SENDS > 16) begin : gen_check_n
    $fatal(0, "RECEIVES and SENDS must be 1..16 (%m)");
  end
  if (s_msg.DATA_W != REMOTE_W || s_msg.USER_W != 3 || s_msg.ID_W != PEER_W) begin : gen_check_w
    $fatal(0, "s_msg has REMOTE_W bits, 3 of tuser and PEER_W of tid (%m)");
  end

  // ---- which channel a frame belongs to: of its header, or of its message's first frame -------
  typedef struct packed {
    logic known;
    logic [3:0] channel;
  } hls_remote_target_t;

  hls_remote_target_t [PEERS-1:0] open_q;  // by peer
  hls_remote_target_t target, target_q;
  remote_header_t head;
  logic inside_q, is_head, beat, aborted, data_head, credit_head;
  logic [RECEIVES-1:0] put, room;

  assign head = remote_header_t'(s_msg.tdata[$bits(remote_header_t)-1:0]);
  assign is_head = !inside_q && s_msg.tuser[1];
  assign aborted = s_msg.tlast && s_msg.tuser[0];
  assign target = inside_q ? target_q : open_q[s_msg.tid];
  assign data_head = is_head && head.kind == REMOTE_DATA && head.to < 8'(RECEIVES);
  assign credit_head = is_head && head.kind == REMOTE_CREDIT && head.to < 8'(SENDS);
  assign beat = s_msg.tvalid && s_msg.tready;
  assign s_msg.tready = is_head || aborted || stop || !target.known || |(put & room) || put == '0;

  always_comb begin
    put = '0;
    for (int i = 0; i < RECEIVES; i++) begin
      put[i] = s_msg.tvalid && !is_head && !aborted && !stop && target.known
          && target.channel == 4'(i);
    end
  end

  always_ff @(posedge clk) begin
    credit_valid <= beat && credit_head && !stop && !rst;
    credit_to <= head.to;
    credit_count <= head.count;
    ev_drop <= beat && is_head && !data_head && !credit_head && !rst;
    lost <= beat && aborted && !rst;
    if (beat) begin
      inside_q <= !s_msg.tlast;
      target_q <= is_head ? '{known: data_head, channel: head.to[3:0]} : target;
      if (is_head) open_q[s_msg.tid] <= '{known: data_head, channel: head.to[3:0]};
    end
    if (rst) begin
      inside_q <= 1'b0;
      open_q   <= '0;
    end
  end

  // ---- words that wait, and reports ----------------------------------------------------------
  for (genvar i = 0; i < RECEIVES; ++i) begin : gen_receive
    logic [$clog2(REMOTE_WINDOW):0] depth;
    logic valid, read, own_report, pending_q;
    logic [15:0] read_q, told_q, count_q, behind;
    logic [7:0] peer_q, from_q;

    kumi_fifo #(
        .W(REMOTE_W),
        .DEPTH(REMOTE_WINDOW)
    ) u_words (
        .clk,
        .rst,
        .s_data (s_msg.tdata),
        .s_valid(put[i]),
        .s_ready(room[i]),
        .m_data (m_data[i]),
        .m_valid(valid),
        .m_ready(m_ready[i] && !stop),
        .depth
    );
    assign m_valid[i] = valid && !stop;
    assign read = m_valid[i] && m_ready[i];
    assign own_report = report_sent && report_index == 8'(i);
    assign behind = read_q - told_q;
    assign report[i] = '{pending: pending_q, peer: peer_q, to: from_q, count: count_q};

    always_ff @(posedge clk) begin
      if (read) read_q <= read_q + 1'b1;
      pending_q <= behind >= 16'(REMOTE_REPORT) && !own_report;
      if (own_report) told_q <= count_q;
      else if (!pending_q) count_q <= read_q;
      if (beat && data_head && head.to == 8'(i)) begin
        peer_q <= 8'(s_msg.tid);
        from_q <= head.from;
      end
      if (rst) begin
        read_q <= '0;
        told_q <= '0;
        count_q <= '0;
        pending_q <= 1'b0;
      end
    end

    logic unused_depth;
    assign unused_depth = ^depth;
  end

  assign busy = s_msg.tvalid || |m_valid;

  logic unused;
  assign unused = ^{s_msg.tkeep, head};
endmodule
