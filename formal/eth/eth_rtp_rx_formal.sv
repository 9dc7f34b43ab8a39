// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_eth_rtp_rx for two peers: the receive window is never overrun, no number is
// taken twice, and what is reported to the delivery is exactly the numbers in order, each once.
//
// The parser is replaced by one that yields any header and any end of a frame. One peer and one
// number are watched, chosen freely. Assumed: the delivery hands on only what was reported to it;
// its count is read a cycle late; frames of an association come only after its entry has been
// cleared; fewer than 2^30 frames in one association (that the number wraps makes no difference to
// the circuit, but to the comparisons of this proof).
module eth_rtp_rx_formal
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW = 4
) (
    input logic                     clk,
    input logic                     rst,
    input logic             [255:0] data,
    input logic                     valid,
    input logic                     last,
    input logic             [  2:0] user,
    input rtp_tags_t                tags_in,
    input logic             [  7:0] gone_other,
    input logic             [ 31:0] sent,
    input logic                     hands,
    input logic                     op_valid,
    input rtp_deliver_cmd_e         op_kind,
    input logic                     op_peer,
    input logic                     deliver_ready,
    input logic                     acked_ready,
    input logic                     assoc_event_ready,
    input logic                     revive
);
  localparam int WIN_W = $clog2(WINDOW);

  logic past_q = 1'b0;
  logic watched_q;
  logic [31:0] number_q;
  always_ff @(posedge clk) begin
    past_q    <= 1'b1;
    watched_q <= watched_q;
    number_q  <= number_q;
  end

  kumi_axis_if #(
      .DATA_W(256),
      .USER_W(3)
  ) s_frame ();
  assign s_frame.tdata  = data;
  assign s_frame.tkeep  = '1;
  assign s_frame.tvalid = valid;
  assign s_frame.tlast  = last;
  assign s_frame.tuser  = user;
  assign s_frame.tid    = '0;
  assign s_frame.tdest  = '0;

  logic [0:0] rd_peer, rcv_peer;
  logic
      rcv_wr, info_wr, w_en, op_ready, deliver_valid, acked_valid, assoc_event_valid, ack_req_valid;
  logic [31:0] rcv_nxt;
  logic [WINDOW-1:0] rcv_sack;
  logic [WIN_W:0] info_addr, w_addr;
  logic [15:0] info_data;
  logic [255:0] w_data;
  rtp_deliver_cmd_t deliver;
  rtp_rx_ack_t acked;
  rtp_assoc_event_t assoc_event;
  rtp_ack_req_t ack_req;
  rtp_events_t ev;
  rtp_tags_t tags;
  logic [7:0] delivered;

  kumi_eth_rtp_rx #(
      .PEERS (2),
      .WINDOW(WINDOW),
      .WORDS (1),
      .DEPTH (2 * WINDOW),
      .PEER_W(1)
  ) u_dut (
      .clk,
      .rst,
      .s_frame,
      .rd_peer,
      .tags,
      .delivered,
      .snd_nxt(sent),
      .rcv_wr,
      .rcv_peer,
      .rcv_nxt,
      .rcv_sack,
      .info_wr,
      .info_addr,
      .info_data,
      .w_en,
      .w_addr,
      .w_data,
      .op_valid,
      .op_ready,
      .op_kind,
      .op_peer,
      .deliver,
      .deliver_valid,
      .deliver_ready,
      .acked,
      .acked_valid,
      .acked_ready,
      .assoc_event,
      .assoc_event_valid,
      .assoc_event_ready,
      .ack_req,
      .ack_req_valid,
      .ev
  );

  // ---- Of the watched peer: entry, frames handed on, frames reported, number seen
  // ----------------
  logic [31:0] next;
  logic [WINDOW-1:0] map;
  logic [31:0] gone_q, told_q;
  logic live_q, cleared_q, seen_q, read_q, read_live_q;
  logic [7:0] read_gone_q;
  logic op, mine;
  assign {next, map} = u_dut.u_rcv.gen_old.mem[watched_q];
  assign op = op_valid && op_ready && op_peer == watched_q;
  assign mine = u_dut.h.tag[31:20] == 12'(watched_q);
  assign delivered = read_q ? read_gone_q : gone_other;
  always_comb begin
    tags = tags_in;
    if (read_q && !read_live_q) tags.up = 1'b0;
  end

  always_ff @(posedge clk) begin
    read_q      <= rd_peer == watched_q;
    read_gone_q <= gone_q[7:0];
    read_live_q <= live_q;
    if (hands && live_q && gone_q != told_q) gone_q <= gone_q + 32'd1;
    if (deliver_valid && deliver_ready && deliver.kind == RTP_DELIVER_FRAMES && deliver.peer == 12'(watched_q)) begin
      told_q <= told_q + 32'(deliver.count);
    end
    if (info_wr && mine && u_dut.h.seq == number_q) seen_q <= 1'b1;
    if (revive && cleared_q) live_q <= 1'b1;
    if (op) begin
      live_q    <= 1'b0;
      cleared_q <= op_kind == RTP_DELIVER_INIT;
      gone_q    <= '0;
      told_q    <= '0;
      seen_q    <= 1'b0;
    end
    if (rst) begin
      live_q    <= 1'b0;
      cleared_q <= 1'b0;
    end
  end

  always_comb begin
    assume (rst || past_q);
    assume (op_kind != RTP_DELIVER_FRAMES);
    assume (!live_q || next < 32'h4000_0000);
    assume (number_q < 32'h4000_0000);
    assume (!info_wr || !mine || u_dut.h.seq < 32'h4000_0000);
  end
  always_ff @(posedge clk) begin
    if (past_q) begin
      assume (!rst);
      assume (!$past(
          op_valid && !op_ready && !rst
      ) || (op_valid && $stable(
          op_kind
      ) && $stable(
          op_peer
      )));
    end
  end

  // ---- Proved -----------------------------------------------------------------------------------
  logic [31:0] from_gone, ahead;  // of the frame, from what is handed on, from what is expected
  logic in_map, here, busy;
  logic [31:0] place;
  assign from_gone = u_dut.h.seq - gone_q;
  assign ahead = u_dut.h.seq - next;
  assign place = number_q - next - 32'd1;
  assign in_map = place < 32'(WINDOW) && map[WIN_W'(place)];
  assign here = number_q < next || in_map
      || (u_dut.more_q && mine && number_q == next);  // taken, but not written back yet
  assign busy = u_dut.fin || u_dut.u_rx_parser.state_q == 2'd2;  // judged

  logic [31:0] step;
  assign step = u_dut.next_q - next;

  // Bits of the map for numbers within the window; those that have been counted so far.
  logic [31:0] free;
  logic [WINDOW-1:0] allowed, run;
  assign free = 32'(WINDOW) - (next - gone_q);
  assign allowed = free == '0 ? '0 : WINDOW'((32'd1 << (free - 32'd1)) - 32'd1);
  assign run = WINDOW'((32'd1 << (step - 32'd1)) - 32'd1);

  always_comb begin
    if (!rst && past_q && live_q) begin
      a_window :
      assert (!(w_en && mine) || (from_gone < 32'(WINDOW) && ahead < 32'(WINDOW) - (next - gone_q)
              && (ahead == '0 || !map[WIN_W'(ahead-32'd1)])));
      a_place : assert (!(info_wr && mine) || info_addr == {watched_q, u_dut.h.seq[WIN_W-1:0]});
      a_once : assert (!(info_wr && mine && u_dut.h.seq == number_q) || !seen_q);
      a_seen : assert (seen_q == here);
      a_told : assert (told_q == next);
      a_room : assert (next - gone_q <= 32'(WINDOW) && gone_q <= next);

      // What makes the induction close.
      i_map : assert ((map & ~allowed) == '0);
      if (busy && mine && !u_dut.more_q && u_dut.verdict_q == 4'd0) begin
        i_new :
        assert (32'(u_dut.offset_q) == ahead && ahead < 32'(WINDOW) - (next - gone_q)
                && (ahead == '0 || !map[WIN_W'(ahead-32'd1)]));
      end
      if (u_dut.more_q && mine) begin
        i_more :
        assert (u_dut.fin && step == 32'(u_dut.count_q) && step != '0 && step <= free
                && u_dut.map_q == map >> step && u_dut.arrived_q == map[WIN_W'(step-32'd1)]
                && u_dut.h.seq == next);
        i_run : assert ((~map & run) == '0);
      end
    end
    if (!rst && past_q) begin
      i_live : assert (!live_q || cleared_q);
      i_clear :
      assert (live_q || !cleared_q || (next == '0 && map == '0 && told_q == '0
              && gone_q == '0 && !seen_q));
      i_read : assert (!read_q || !read_live_q || live_q || u_dut.idle || !mine);
      i_off : assert (!u_dut.more_q || (u_dut.fin && u_dut.verdict_q == 4'd0));
      i_listed : assert (!busy || u_dut.verdict_q != 4'd0 || u_dut.h.tag[31:20] < 12'd2);
      i_head :
      assert (!u_dut.head || !mine || (read_q && u_dut.next_read == next
              && u_dut.map_read == map && !u_dut.more_q));
      i_late :
      assert (!u_dut.head || !mine || !read_live_q || 8'(gone_q[7:0] - read_gone_q) <= 8'd1);
      i_kept :
      assert (!busy || !mine || u_dut.more_q || (u_dut.next_q == next && u_dut.map_q == map));
      i_idle : assert (!u_dut.more_q || u_dut.u_rx_parser.state_q == 2'd3);
      i_quiet : assert (live_q || !busy || !mine || u_dut.verdict_q != 4'd0);
      i_still : assert (live_q || !(u_dut.more_q && mine));
      c_gap : cover (live_q && deliver_valid && deliver.count == 7'(WINDOW) && mine);
      c_full : cover (live_q && next - gone_q == 32'(WINDOW));
      c_dup : cover (live_q && ev.rx_dup && seen_q);
    end
  end
endmodule
