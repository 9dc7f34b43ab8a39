// SPDX-License-Identifier: Apache-2.0
//
// Data path of the collectives: one block a time from the node before, from this node, or the sum
//   of
// both, to the next node (behind its head), to this node, or to both.
//
// start, move: the next block, when ready. The owner has made sure that all streams will do their
//   part; the block is over when ready is high again.
// s_before: payload as read from the engine, one frame a block. s_local, m_local: this node's
//   bytes; whole beats but the last of a part. m_next: head and payload, one frame.
// Latency 5 cycles (the adders'), one beat a cycle; a head takes 64 bytes' beats before it.
module kumi_coll_datapath
  import kumi_coll_pkg::*;
(
    input  logic            clk,
    input  logic            rst,
    input  logic            start,
    input  coll_xfer_t      move,
    output logic            ready,
           kumi_axis_if.snk s_before,
           kumi_axis_if.snk s_local,
           kumi_axis_if.src m_next,
           kumi_axis_if.src m_local
);
  localparam int DATA_W = m_next.DATA_W;
  localparam int KEEP_W = m_next.KEEP_W;
  localparam int LOG_W = $clog2(KEEP_W);
  localparam int HEAD_BEATS = HEAD_BYTES / KEEP_W;
  localparam int STAGES = 5;

  typedef enum logic [1:0] {
    REST,
    HEAD,
    BODY
  } state_e;

  state_e state_q;
  coll_xfer_t move_q;
  logic [16:0] in_left_q, out_left_q, beats;
  logic [3:0] head_left_q;
  logic [STAGES-1:0] valid_q;
  logic en, take, fire, next_done_q, local_done_q, next_ok, local_ok, out_last, head_beat;
  logic [DATA_W-1:0] a, b, sum;
  logic [KEEP_W-1:0] ones, keep;
  logic [LOG_W-1:0] rest;

  assign ready = state_q == REST;
  assign beats = 17'((move.head.length + 16'(KEEP_W - 1)) >> LOG_W);
  assign ones = '1;
  assign rest = move_q.head.length[LOG_W-1:0];

  // ---- in --------------------------------------------------------------------------------------
  assign take = state_q == BODY && in_left_q != '0 && en
      && (s_before.tvalid || !move_q.from_before) && (s_local.tvalid || !move_q.from_local);
  assign s_before.tready = take && move_q.from_before;
  assign s_local.tready = take && move_q.from_local;

  // Bytes that are not added pass the adders unchanged, as integers to which zero is added.
  assign a = move_q.from_before ? s_before.tdata : move_q.from_local ? s_local.tdata : '0;
  assign b = move_q.from_before && move_q.from_local ? s_local.tdata : '0;

  for (genvar i = 0; i < DATA_W / 32; i++) begin : gen_lane
    kumi_int_fp32_add u_add (
        .clk,
        .en,
        .is_float(move_q.is_float && move_q.from_before && move_q.from_local),
        .a(a[32*i+:32]),
        .b(b[32*i+:32]),
        .sum(sum[32*i+:32])
    );
  end

  // ---- out -------------------------------------------------------------------------------------
  assign next_ok = !move_q.to_next || next_done_q || m_next.tready;
  assign local_ok = !move_q.to_local || local_done_q || m_local.tready;
  assign fire = valid_q[STAGES-1] && next_ok && local_ok;
  assign en = !valid_q[STAGES-1] || fire;
  assign out_last = out_left_q == 17'd1;
  assign keep = out_last && rest != '0 ? ones >> (KEEP_W - 32'(rest)) : ones;
  assign head_beat = state_q == HEAD && m_next.tready;

  always_ff @(posedge clk) begin
    if (en) valid_q <= {valid_q[STAGES-2:0], take};
    if (take) in_left_q <= in_left_q - 1'b1;
    if (fire) begin
      out_left_q   <= out_left_q - 1'b1;
      next_done_q  <= 1'b0;
      local_done_q <= 1'b0;
    end else if (valid_q[STAGES-1]) begin
      next_done_q  <= next_done_q || m_next.tready;
      local_done_q <= local_done_q || m_local.tready;
    end
    case (state_q)
      REST:
      if (start) begin
        move_q <= move;
        in_left_q <= beats;
        out_left_q <= beats;
        head_left_q <= 4'(HEAD_BEATS);
        next_done_q <= 1'b0;
        local_done_q <= 1'b0;
        if (move.to_next) state_q <= HEAD;
        else if (beats != '0) state_q <= BODY;
      end
      HEAD:
      if (head_beat) begin
        head_left_q <= head_left_q - 1'b1;
        if (head_left_q == 4'd1) state_q <= out_left_q == '0 ? REST : BODY;
      end
      default: if (fire && out_last) state_q <= REST;
    endcase
    if (rst) begin
      state_q <= REST;
      valid_q <= '0;
    end
  end

  assign m_next.tvalid = state_q == HEAD || (valid_q[STAGES-1] && move_q.to_next && !next_done_q);
  assign m_next.tdata = state_q != HEAD ? sum
      : 32'(head_left_q) == HEAD_BEATS ? DATA_W'(move_q.head) : '0;
  assign m_next.tkeep = state_q == HEAD ? ones : keep;
  assign m_next.tlast = state_q == HEAD ? head_left_q == 4'd1 && out_left_q == '0 : out_last;
  assign m_next.tuser = '0;
  assign m_next.tid = '0;
  assign m_next.tdest = '0;

  assign m_local.tvalid = valid_q[STAGES-1] && move_q.to_local && !local_done_q;
  assign m_local.tdata = sum;
  assign m_local.tkeep = keep;
  assign m_local.tlast = out_last && move_q.ends;
  assign m_local.tuser = '0;
  assign m_local.tid = (m_local.ID_W)'(move_q.head.source);
  assign m_local.tdest = '0;

  logic unused;
  assign unused = ^{s_before.tkeep, s_before.tlast, s_before.tuser, s_before.tid, s_before.tdest,
                    s_local.tkeep, s_local.tlast, s_local.tuser, s_local.tid, s_local.tdest};
endmodule
