// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_eth_rtp_tx_admission with its tables, for two peers: never more frames under way than
// TX_WINDOW, none at or beyond the limit, numbers in order without a gap, and every frame that
// comes is either sent once or its slot given back once.
//
// One peer is watched, chosen freely. Assumed of the transmit window: it acknowledges only what was
// sent, and the limit never falls and never lies further ahead than it may. Associations come and
// go at any time; before one begins, the number is cleared and both edges are set, as
// kumi_eth_rtp_assoc does.
module eth_rtp_tx_admission_formal
  import kumi_eth_rtp_pkg::*;
#(
    parameter int TX_WINDOW = 4
) (
    input logic             clk,
    input logic             rst,
    input rtp_seg_t         seg,
    input logic             seg_valid,
    input logic             more,
    input logic      [11:0] peek_peer,
    input rtp_conn_t        conn_other,
    input logic             up,
    input logic             renew,
    input logic             acks,
    input logic      [ 2:0] grants,
    input logic             m_ready,
    input logic             free_ready,
    input logic             fail_ready
);
  logic watched;  // peer 0 or 1, either
  logic watched_q;
  logic past_q = 1'b0;
  always_ff @(posedge clk) past_q <= 1'b1;
  always_ff @(posedge clk) watched_q <= watched_q;
  assign watched = watched_q;

  logic [0:0] rd_peer, snd_nxt_peer;
  logic snd_nxt_wr, map_wr, info_wr, seg_ready, m_valid, free_valid, fail_valid, ev_message;
  logic [31:0] snd_nxt_data, next, first, limit;
  logic [$clog2(TX_WINDOW):0] map_addr;
  logic [1:0] map_data;
  logic [15:0] info_data;
  rtp_tx_desc_t m_send;
  logic [7:0] free_slot;
  logic [11:0] fail_peer;
  rtp_conn_t conn;
  logic clear;

  // ---- The transmit window and the associations -------------------------------------------------
  logic [31:0] first_q, limit_q;  // of the watched peer
  logic up_q, read_q, read_up_q;
  logic [31:0] read_first_q, read_limit_q;
  logic [1:0] down_q;  // cycles since the association ended, and admission has seen it
  assign clear = renew && !up_q && (&down_q);
  assign conn  = read_q ? '{up: read_up_q, gen: '0, tag: '0} : conn_other;
  assign first = read_first_q;
  assign limit = read_limit_q;

  logic [31:0] mem;
  assign mem = u_next.gen_old.mem[watched];
  always_ff @(posedge clk) begin
    read_q       <= rd_peer == watched;
    read_up_q    <= up_q;
    read_first_q <= first_q;
    read_limit_q <= limit_q;
    up_q         <= up_q ? up : up && clear;
    down_q       <= up_q ? '0 : &down_q ? down_q : down_q + 1'b1;
    if (clear) begin
      first_q <= '0;
      limit_q <= 32'(grants);
    end else if (up_q) begin
      if (acks && first_q != mem) first_q <= first_q + 32'd1;
      if (limit_q - mem < 32'd8) limit_q <= limit_q + 32'(grants);
    end
    if (rst) begin
      up_q   <= 1'b0;
      down_q <= '0;
    end
  end

  kumi_ram_sdp #(
      .W(32),
      .DEPTH(2),
      .RDW(1),
      .STYLE(2)
  ) u_next (
      .clk,
      .wr_en  (snd_nxt_wr),
      .wr_addr(snd_nxt_peer),
      .wr_data(snd_nxt_data),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(next)
  );

  kumi_eth_rtp_tx_admission #(
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(1),
      .SLOT_W(2)
  ) u_dut (
      .clk,
      .rst,
      .seg,
      .seg_valid,
      .seg_ready,
      .more,
      .peek_peer,
      .rd_peer,
      .conn,
      .addr('0),
      .snd_una(first),
      .limit,
      .snd_nxt(next),
      .ack('0),
      .snd_nxt_wr,
      .snd_nxt_peer,
      .snd_nxt_data,
      .map_wr,
      .map_addr,
      .map_data,
      .info_wr,
      .info_data,
      .clear,
      .clear_peer(watched),
      .m_send,
      .m_valid,
      .m_ready,
      .free_slot,
      .free_valid,
      .free_ready,
      .fail_peer,
      .fail_valid,
      .fail_ready,
      .ev_message
  );

  // ---- Assumed ----------------------------------------------------------------------------------
  always_comb begin
    assume (rst || past_q);
    assume (seg.peer < 12'd2 && peek_peer < 12'd2);
  end
  always_ff @(posedge clk) begin
    if (past_q) begin
      assume (!rst);
      assume (!$past(seg_valid && !seg_ready && !rst) || (seg_valid && $stable(seg)));
    end
  end

  // ---- Proved -----------------------------------------------------------------------------------
  logic send;
  assign send = snd_nxt_wr && !clear && snd_nxt_peer == watched;

  // The frame that leaves is the one that was given its number last.
  logic [31:0] last_q;
  logic fresh_q;
  always_ff @(posedge clk) begin
    fresh_q <= send && !rst;
    last_q  <= mem;
  end

  always_comb begin
    if (!rst && past_q) begin
      if (up_q) begin
        a_window : assert (mem - first_q <= 32'(TX_WINDOW));
        a_limit : assert (limit_q - mem <= 32'd15);
      end
      a_credit : assert (!send || !up_q || (mem != limit_q && mem - first_q < 32'(TX_WINDOW)));
      a_order :
      assert (!send || (snd_nxt_data == mem + 32'd1 && map_addr == {watched, mem[$clog2(
          TX_WINDOW
      )-1:0]}));
      a_number : assert (!fresh_q || (m_valid && m_send.seq == last_q));
      a_once : assert (!(map_wr && free_valid));
      a_all : assert (seg_ready == (map_wr || (free_valid && free_ready)));
      a_quiet : assert (!send || up_q || down_q < 2'd2);

      // What makes the induction close: what was read is what is there, or was a cycle ago.
      i_read :
      assert (!read_q || !read_up_q || !up_q || (read_limit_q - mem <= 32'd15 + 32'(u_dut.stale_q)
              && mem - read_first_q <= 32'(TX_WINDOW)));
      i_first : assert (!up_q || !read_up_q || first_q - read_first_q <= 32'd1);
      i_limit : assert (!up_q || !read_up_q || limit_q - read_limit_q <= 32'd7);
      i_next : assert (!read_q || u_dut.stale_q || next == mem);
      i_seen : assert (u_dut.read_q < 12'd2 && read_q == (u_dut.read_q[0] == watched));
      i_down : assert (!up_q || down_q == 2'd0 || (read_up_q == 1'b0));
      i_gone : assert (up_q || down_q == 2'd0 || !read_up_q);
      c_full : cover (send && up_q && mem - first_q == 32'(TX_WINDOW - 1) && mem == 32'd5);
      c_wait : cover (seg_valid && u_dut.known && !u_dut.fail && !u_dut.credit && mem == limit_q);
      c_again : cover (send && up_q && mem == 32'd1 && fail_valid);
    end
  end
endmodule
