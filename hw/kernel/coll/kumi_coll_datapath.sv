// SPDX-License-Identifier: Apache-2.0
//
// Data path of the collectives: moves one block at a time from the previous node, from this node,
// or their sum, to the next node (behind its header), to this node, or to both.
//
// start, xfer: the next block, when ready is high. The owner ensures that no stream will stall
//   forever; the block is complete when ready is high again.
// s_prev: payload read from the engine, one frame per block. s_local, m_local: this node's bytes;
//   whole beats except the last of a part. m_next: header and payload, one frame.
// Latency 5 cycles (the adders'), one beat a cycle; a header takes the beats of 64 bytes.
module kumi_coll_datapath
  import kumi_coll_pkg::*;
(
    input  logic            clk,
    input  logic            rst,
    input  logic            start,
    input  coll_xfer_t      xfer,
    output logic            ready,
           kumi_axis_if.snk s_prev,
           kumi_axis_if.snk s_local,
           kumi_axis_if.src m_next,
           kumi_axis_if.src m_local
);
  localparam int DATA_W = m_next.DATA_W;
  localparam int KEEP_W = m_next.KEEP_W;
  localparam int LOG_W = $clog2(KEEP_W);
  localparam int HDR_BEATS = COLL_HDR_BYTES / KEEP_W;
  localparam int STAGES = 5;

  typedef enum logic [1:0] {
    REST,
    HDR,
    BODY
  } state_e;

  state_e state_q;
  coll_xfer_t xfer_q;
  logic [16:0] in_left_q, out_left_q, beats;
  logic [3:0] hdr_left_q;
  logic [STAGES-1:0] valid_q;
  logic en, take, fire, next_done_q, local_done_q, next_ok, local_ok, out_last, hdr_beat;
  logic [DATA_W-1:0] a, b, sum;
  logic [KEEP_W-1:0] ones, keep;
  logic [LOG_W-1:0] rest;

  assign ready = state_q == REST;
  assign beats = 17'((xfer.hdr.length + 16'(KEEP_W - 1)) >> LOG_W);
  assign ones = '1;
  assign rest = xfer_q.hdr.length[LOG_W-1:0];

  // ---- in --------------------------------------------------------------------------------------
  assign take = state_q == BODY && in_left_q != '0 && en
      && (s_prev.tvalid || !xfer_q.from_prev) && (s_local.tvalid || !xfer_q.from_local);
  assign s_prev.tready = take && xfer_q.from_prev;
  assign s_local.tready = take && xfer_q.from_local;

  // Bytes that are not added pass the adders unchanged, as integers to which reserved is added.
  assign a = xfer_q.from_prev ? s_prev.tdata : xfer_q.from_local ? s_local.tdata : '0;
  assign b = xfer_q.from_prev && xfer_q.from_local ? s_local.tdata : '0;

  for (genvar i = 0; i < DATA_W / 32; i++) begin : gen_lane
    kumi_int_fp32_add u_add (
        .clk,
        .en({STAGES{en}}),
        .is_float(xfer_q.is_float && xfer_q.from_prev && xfer_q.from_local),
        .a(a[32*i+:32]),
        .b(b[32*i+:32]),
        .sum(sum[32*i+:32])
    );
  end

  // ---- out -------------------------------------------------------------------------------------
  assign next_ok = !xfer_q.to_next || next_done_q || m_next.tready;
  assign local_ok = !xfer_q.to_local || local_done_q || m_local.tready;
  assign fire = valid_q[STAGES-1] && next_ok && local_ok;
  assign en = !valid_q[STAGES-1] || fire;
  assign out_last = out_left_q == 17'd1;
  assign keep = out_last && rest != '0 ? ones >> (KEEP_W - 32'(rest)) : ones;
  assign hdr_beat = state_q == HDR && m_next.tready;

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
        xfer_q <= xfer;
        in_left_q <= beats;
        out_left_q <= beats;
        hdr_left_q <= 4'(HDR_BEATS);
        next_done_q <= 1'b0;
        local_done_q <= 1'b0;
        if (xfer.to_next) state_q <= HDR;
        else if (beats != '0) state_q <= BODY;
      end
      HDR:
      if (hdr_beat) begin
        hdr_left_q <= hdr_left_q - 1'b1;
        if (hdr_left_q == 4'd1) state_q <= out_left_q == '0 ? REST : BODY;
      end
      default: if (fire && out_last) state_q <= REST;
    endcase
    if (rst) begin
      state_q <= REST;
      valid_q <= '0;
    end
  end

  assign m_next.tvalid = state_q == HDR || (valid_q[STAGES-1] && xfer_q.to_next && !next_done_q);
  assign m_next.tdata = state_q != HDR ? sum
      : 32'(hdr_left_q) == HDR_BEATS ? DATA_W'(xfer_q.hdr) : '0;
  assign m_next.tkeep = state_q == HDR ? ones : keep;
  assign m_next.tlast = state_q == HDR ? hdr_left_q == 4'd1 && out_left_q == '0 : out_last;
  assign m_next.tuser = '0;
  assign m_next.tid = '0;
  assign m_next.tdest = '0;

  assign m_local.tvalid = valid_q[STAGES-1] && xfer_q.to_local && !local_done_q;
  assign m_local.tdata = sum;
  assign m_local.tkeep = keep;
  assign m_local.tlast = out_last && xfer_q.ends;
  assign m_local.tuser = '0;
  assign m_local.tid = (m_local.ID_W)'(xfer_q.hdr.source);
  assign m_local.tdest = '0;

  logic unused;
  assign unused = ^{s_prev.tkeep, s_prev.tlast, s_prev.tuser, s_prev.tid, s_prev.tdest,
                    s_local.tkeep, s_local.tlast, s_local.tuser, s_local.tid, s_local.tdest};
endmodule
