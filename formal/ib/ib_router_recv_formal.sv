// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ib_router_recv: whatever packets come, in whatever order and how damaged, a
// connection takes each PSN once and in order; it sends one NAK for a gap, and none again before
// the packet that it asks for has been taken; duplicates are acknowledged up to the last one taken.
//
// Two peers; any connection is watched. Entries of the peers' table and the space in the buffers
// are anything at any time; a peer's connections may begin again at any time between packets.
`include "kumi_assert.svh"
module ib_router_recv_formal
  import kumi_ib_router_pkg::*;
(
    input logic                clk,
    input logic                rst,
    input cfg_t                cfg,
    input logic         [63:0] data,
    input logic         [ 7:0] keep,
    input logic                valid,
    input logic                last,
    input logic                bad,
    input logic                clear_valid,
    input logic                clear_peer,
    input router_peer_t        rx_peer,
    input logic         [ 1:0] enabled
);
  localparam int PEERS = 2;
  localparam int CONN_W = 3;
  localparam logic [2:0] INIT = 3'd0, LOOK = 3'd4, DECIDE = 3'd5, BODY = 3'd6;

  kumi_axis_if #(.DATA_W(64)) s ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) m[VCS] ();
  assign s.tdata = data;
  assign s.tkeep = keep;
  assign s.tvalid = valid;
  assign s.tlast = last;
  assign s.tuser = bad;
  assign s.tid = '0;
  assign s.tdest = '0;
  for (genvar v = 0; v < VCS; v++) begin : gen_out
    assign m[v].tready = 1'b1;
  end

  logic clear_ready, rx_index, ack_valid, answer_valid, received;
  logic [CONN_W-1:0] ack_conn, answer_conn;
  answer_e ack_kind;
  logic [23:0] ack_psn, answer_psn, answer_msn;
  logic [7:0] syndrome;

  kumi_ib_router_recv #(
      .PEERS(PEERS),
      .BEATS(128)
  ) u_dut (
      .clk,
      .rst,
      .cfg,
      .s_axis(s),
      .m_axis(m),
      .clear_valid,
      .clear_ready,
      .clear_peer,
      .rx_index,
      .rx_peer,
      .enabled,
      .ack_valid,
      .ack_conn,
      .ack_kind,
      .ack_psn,
      .answer_valid,
      .answer_conn,
      .answer_syndrome(syndrome),
      .answer_psn,
      .answer_msn,
      .ev_received(received),
      .ev_ack_sent(),
      .ev_nak_sent(),
      .ev_rnr_sent(),
      .ev_duplicate(),
      .ev_gap(),
      .ev_no_space(),
      .ev_bad_icrc(),
      .ev_bad_header(),
      .ev_bad_lid(),
      .ev_bad_qp(),
      .ev_bad_pkey(),
      .ev_bad_payload()
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q ? !rst : rst);
  logic held_q, clear_held_q;
  always_ff @(posedge clk) begin
    held_q <= valid && !s.tready && !rst;
    clear_held_q <= clear_valid && !clear_ready && !rst;
    if (started_q && held_q) begin
      assume (valid && $stable(data) && $stable(keep) && $stable(last) && $stable(bad));
    end
    if (started_q && clear_held_q) assume (clear_valid && $stable(clear_peer));
  end

  // ---- the watched connection ------------------------------------------------------------------
  logic [CONN_W-1:0] who;  // never driven but by itself: any constant
  always_ff @(posedge clk) who <= who;

  logic [23:0] expect_q;  // PSN that it takes next
  logic asked_q;  // a NAK has been sent for it
  logic mine, takes, naks, waits, cleared;
  assign mine = answer_valid && answer_conn == who;
  assign takes = mine && received;
  assign naks = mine && syndrome == SYNDROME_NAK_PSN;
  assign waits = mine && syndrome == SYNDROME_RNR;
  assign cleared = u_dut.state_q == INIT && u_dut.clear_conn_q == who;
  always_ff @(posedge clk) begin
    if (takes) expect_q <= expect_q + 1'b1;
    if (takes) asked_q <= 1'b0;
    else if (naks || waits) asked_q <= 1'b1;
    if (rst || cleared) begin
      expect_q <= '0;
      asked_q  <= 1'b0;
    end
  end

  // ack_psn is the PSN of the packet that the answer is for.
  `KUMI_ASSERT(a_in_order, !takes || (ack_psn == expect_q && syndrome == SYNDROME_ACK))
  `KUMI_ASSERT(a_one_nak, !naks || (!asked_q && answer_psn == expect_q))
  `KUMI_ASSERT(a_wait, !waits || (answer_psn == expect_q && ack_psn == expect_q))
  `KUMI_ASSERT(a_duplicate,
               !mine || received || syndrome != SYNDROME_ACK || answer_psn == 24'(expect_q - 24'd1))

  // ---- what the unit holds ---------------------------------------------------------------------
  logic [48:0] entry, read;  // psn, msn, nak
  logic deciding;
  assign entry = u_dut.u_ctx.mem[who];
  assign read = u_dut.u_ctx.mem[u_dut.conn_q];
  assign deciding = u_dut.state_q == DECIDE || u_dut.state_q == BODY;
  `KUMI_ASSERT(
      i_init,
      !u_dut.init_q || (u_dut.state_q == INIT && !answer_valid && expect_q == '0 && !asked_q && (who >= u_dut.clear_conn_q || entry == '0)))
  `KUMI_ASSERT(i_quiet, u_dut.state_q != INIT || !answer_valid)
  `KUMI_ASSERT(i_psn, u_dut.init_q || entry[48:25] == expect_q + 24'(takes))
  `KUMI_ASSERT(i_nak, u_dut.init_q || entry[0] == (takes ? 1'b0 : (naks || waits) || asked_q))
  `KUMI_ASSERT(i_read, !(deciding || u_dut.state_q == LOOK) || u_dut.ctx == read)
  `KUMI_ASSERT(i_ahead, u_dut.state_q != DECIDE || u_dut.ahead_q == u_dut.psn_q - read[48:25])
  `KUMI_ASSERT(
      i_flags,
      u_dut.state_q != BODY || ((!(u_dut.accept_q || u_dut.full_q) || u_dut.psn_q == read[48:25]) && u_dut.nak_first_q == !read[0] && 3'(u_dut.accept_q) + 3'(u_dut.full_q) + 3'(u_dut.dup_q) + 3'(u_dut.gap_q) <= 3'd1))

  `KUMI_COVER(c_takes, takes && expect_q == 24'd1)
  `KUMI_COVER(c_nak, naks)
endmodule
