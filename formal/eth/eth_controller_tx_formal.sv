// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_eth_controller_tx: whatever the kernel does, a frame is no longer than the MTU and as
// long as its header says, and the frames of a message together carry its count of bytes.
//
// Assumed: cfg_mtu is constant; a valid word stays until it is taken; tkeep is a run of ones, full
// but with tlast. The count is any, and data may end anywhere: too early, too late, marked bad.
// One byte of the data is picked when it is taken; it must be written next, at its place.
module eth_controller_tx_formal #(
    parameter int DATA_W = 128
) (
    input logic clk,
    input logic rst,
    input logic [13:0] cfg_mtu,
    input logic [79:0] rec,
    input logic rec_valid,
    input logic [DATA_W-1:0] data,
    input logic [$clog2(DATA_W/8):0] bytes,
    input logic valid,
    input logic last,
    input logic bad,
    input logic w_ready,
    input logic [$clog2(DATA_W/8)-1:0] lane
);
  import kumi_eth_controller_pkg::*;
  localparam int KEEP_W = DATA_W / 8;
  localparam int HDR = 24;
  localparam int HEADS = HDR / KEEP_W;
  localparam int REST = HDR % KEEP_W;
  localparam int COUNT_W = $clog2(KEEP_W);

  kumi_axis_if #(.DATA_W(DATA_W)) s_axis ();
  kumi_rec_if #(.W(80)) s_dest ();
  logic w_en, w_last, w_commit, w_bad;
  logic [DATA_W-1:0] w_data;
  logic [COUNT_W-1:0] w_count;
  eth_controller_tx_events_t ev;

  assign s_axis.tdata  = data;
  assign s_axis.tvalid = valid;
  assign s_axis.tlast  = last;
  assign s_axis.tuser  = bad;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  for (genvar i = 0; i < KEEP_W; i++) begin : gen_keep
    assign s_axis.tkeep[i] = (COUNT_W + 1)'(i) < bytes;
  end
  assign s_dest.data  = rec;
  assign s_dest.valid = rec_valid;

  kumi_eth_controller_tx u_dut (
      .clk,
      .rst,
      .s_dest,
      .s_axis,
      .src(48'h02_00_00_00_00_0A),
      .cfg_mtu,
      .w_en,
      .w_ready,
      .w_data,
      .w_count,
      .w_last,
      .w_commit,
      .w_bad,
      .ev
  );

  logic past_q = 1'b0;
  always_ff @(posedge clk) past_q <= 1'b1;
  always_comb begin
    assume (rst || past_q);
    assume (bytes != '0 && bytes <= (COUNT_W + 1)'(KEEP_W));
    assume (last || bytes == (COUNT_W + 1)'(KEEP_W));
  end
  always_ff @(posedge clk) begin
    if (past_q) begin
      assume (!rst);
      assume ($stable(cfg_mtu));
      assume (!$past(
          valid && !s_axis.tready && !rst
      ) || (valid && $stable(
          {data, bytes, last, bad}
      )));
      assume (!$past(rec_valid && !s_dest.ready && !rst) || (rec_valid && $stable(rec)));
    end
  end

  // What has been written of this frame, and of this message in whole frames.
  logic [15:0] sent_q;
  logic [31:0] done_q, count_q;
  logic put;
  logic [15:0] now;
  logic [13:0] limit;
  assign put   = w_en && w_ready;
  assign now   = sent_q + (w_last && w_count != '0 ? 16'(w_count) : 16'(KEEP_W));
  assign limit = cfg_mtu < 14'(HDR + KEEP_W) ? 14'(HDR + KEEP_W) : cfg_mtu;
  always_ff @(posedge clk) begin
    if (put) sent_q <= w_last ? '0 : now;
    if (put && w_last) done_q <= done_q + 32'(now) - 32'(HDR);
    if (u_dut.load) {done_q, count_q} <= {32'd0, rec[31:0]};
    if (rst) sent_q <= '0;
  end

  // The picked byte of the word that was taken last: where it must be written.
  logic [7:0] byte_q;
  logic [COUNT_W-1:0] lane_q;
  logic wait_q;
  logic [7:0] here;
  logic take;
  assign take = u_dut.take;
  assign here = data[8*lane+:8];
  logic [7:0] there, then_there;
  assign there = w_data[8*(COUNT_W'(lane+COUNT_W'(REST)))+:8];
  assign then_there = w_data[8*(COUNT_W'(lane_q+COUNT_W'(REST)))+:8];
  logic carried;
  assign carried = REST != 0 && 32'(lane) >= KEEP_W - REST;
  always_ff @(posedge clk) begin
    if (take) begin
      wait_q <= carried && !w_last;
      byte_q <= here;
      lane_q <= lane;
    end else if (put) begin
      wait_q <= 1'b0;
    end
    if (rst) wait_q <= 1'b0;
  end

  logic [7:0] carry_byte;
  if (REST == 0) begin : gen_none
    assign carry_byte = byte_q;
  end else begin : gen_carry
    assign carry_byte = u_dut.gen_shift.carry_q[8*(32'(lane_q)-(KEEP_W-REST))+:8];
  end
  logic [1:0] state;  // 0 head, 1 body, 2 tail, 3 skip
  assign state = u_dut.state_q;
  logic fresh_q;  // this is the first cycle of a frame
  logic [31:0] quota;
  assign quota = 32'(u_dut.quota_q) * 32'(KEEP_W);
  always_ff @(posedge clk) fresh_q <= !rst && (u_dut.load || u_dut.ends_frame);
  logic [15:0] words, whole;  // data words of this frame; taken so far
  assign words = u_dut.final_q ? 16'((u_dut.left_q + 32'(KEEP_W - 1)) >> COUNT_W)
      : 16'(u_dut.quota_q);
  assign whole = words - 16'(u_dut.beats_q);

  always_comb begin
    if (!rst) begin
      // What is proved.
      a_mtu : assert (!put || now <= 16'(limit) && now <= 16'(MAX_MTU));
      a_length : assert (!(put && w_last && !w_bad) || now == 16'(HDR) + u_dut.bytes);
      a_sum : assert (!(u_dut.ends_message && !w_bad) || done_q + 32'(now) - 32'(HDR) == count_q);
      a_bad : assert (!w_bad || !w_commit || (w_last && s_axis.tlast));
      a_commit : assert (w_commit == (w_en && w_last));
      a_byte : assert (!take || carried || there == here);
      a_carried : assert (!(wait_q && put) || then_there == byte_q);
      a_no_take : assert (!(take && wait_q && !put));

      // What makes the induction close.
      i_quota :
      assert (16'(u_dut.quota_q) * 16'(KEEP_W) + 16'(HDR) <= 16'(limit) && u_dut.quota_q != '0
              && 16'(u_dut.quota_q) * 16'(KEEP_W) + 16'(HDR) <= 16'(MAX_MTU));
      i_fresh : assert (!fresh_q || (u_dut.begin_q && sent_q == '0));
      if (u_dut.have_q) begin
        i_after :
        assert (fresh_q || u_dut.final_q || (u_dut.after_left_q == u_dut.left_q - quota
                && u_dut.after_final_q == (u_dut.after_left_q <= quota)
                && 16'(u_dut.after_beats_q) == 16'((u_dut.after_final_q
                    ? u_dut.after_left_q + 32'(KEEP_W - 1) : quota) >> COUNT_W)));
        i_final : assert (u_dut.final_q == (u_dut.left_q <= 32'(u_dut.quota_q) * 32'(KEEP_W)));
        i_some : assert (u_dut.left_q != '0 && u_dut.beats_q != '0 && 16'(u_dut.beats_q) <= words);
        i_done : assert (done_q + u_dut.left_q == count_q);
        if (state == 2'd0) begin
          i_head :
          assert (HEADS != 0 && 32'(u_dut.head_q) < HEADS
                  && sent_q == 16'(u_dut.head_q) * 16'(KEEP_W)
                  && u_dut.begin_q && 16'(u_dut.beats_q) == words);
        end else if (state == 2'd1) begin
          i_body :
          assert (sent_q == 16'(HEADS * KEEP_W) + whole * 16'(KEEP_W)
                  && u_dut.begin_q == (whole == '0));
        end else if (state == 2'd2) begin
          i_tail :
          assert (REST != 0 && u_dut.beats_q == 1 && u_dut.tail && !u_dut.begin_q
                  && sent_q == 16'(HEADS * KEEP_W) + words * 16'(KEEP_W));
        end else begin
          i_skip :
          assert (sent_q == '0 && u_dut.head_q == '0 && u_dut.begin_q
                  && 16'(u_dut.beats_q) == words);
        end
      end else begin
        i_idle : assert (sent_q == '0 && (state == 2'd0 || state == 2'd3));
      end
      i_wait :
      assert (!wait_q || (u_dut.have_q && !u_dut.begin_q && carry_byte == byte_q
              && 32'(lane_q) >= KEEP_W - REST
              && (state == 2'd2 || state == 2'd1)));
      c_tail : cover (put && w_last && !w_bad && state == 2'd2 && !u_dut.first_q);
      c_long : cover (ev.long_);
      c_short : cover (ev.short_ && done_q != '0);
    end
  end

endmodule
