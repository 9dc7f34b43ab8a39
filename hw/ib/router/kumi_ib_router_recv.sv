// SPDX-License-Identifier: Apache-2.0
//
// Receive side of a router: InfiniBand packets of peers into SW2 packets, each once and in the
// order of its connection (IBTA volume 1, clauses 9.6 and 9.7.4).
//
// s_axis: packets from LRH to ICRC, 64 bits; always taken, so no VL is ever blocked by a channel
//   that is. m_axis[v]: whole SW2 packets of channel v. ack_*: ACKs and NAKs received.
// answer_*: what is to be sent: an ACK for each packet accepted or received again, one NAK for a
//   gap, an RNR NAK for each packet in turn that finds no space. A lost answer costs a time-out.
// rx_index, rx_peer, enabled, clear_*: kumi_ib_router_peers.
// Bad input is dropped and counted, in this order: ICRC, header, LID, queue pair, P_Key, payload.
// Latency, last beat in to the first beat out: 5 cycles. Two idle cycles per packet.
module kumi_ib_router_recv
  import kumi_ib_router_pkg::*;
  import kumi_ib_pkg::*;
#(
    parameter  int PEERS  = 64,
    parameter  int BEATS  = 1024,                 // of 8 bytes, per channel, a power of two
    localparam int CONN_W = $clog2(PEERS * VCS),
    localparam int PEER_W = $clog2(PEERS)
) (
    input logic clk,
    input logic rst,
    input cfg_t cfg,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis[VCS],

    input logic clear_valid,
    output logic clear_ready,
    input logic [PEER_W-1:0] clear_peer,

    output logic [PEER_W-1:0] rx_index,
    input router_peer_t rx_peer,
    input logic [PEERS-1:0] enabled,

    output logic ack_valid,
    output logic [CONN_W-1:0] ack_conn,
    output answer_e ack_kind,
    output logic [23:0] ack_psn,

    output logic answer_valid,
    output logic [CONN_W-1:0] answer_conn,
    output logic [7:0] answer_syndrome,
    output logic [23:0] answer_psn,
    output logic [23:0] answer_msn,

    output logic ev_received,
    output logic ev_ack_sent,
    output logic ev_nak_sent,
    output logic ev_rnr_sent,
    output logic ev_duplicate,
    output logic ev_gap,
    output logic ev_no_space,
    output logic ev_bad_icrc,
    output logic ev_bad_header,
    output logic ev_bad_lid,
    output logic ev_bad_qp,
    output logic ev_bad_pkey,
    output logic ev_bad_payload
);
  import kumi_sw2_pkg::sw2_head_t;
  import kumi_sw2_pkg::beats_of;
  import kumi_sw2_pkg::len_good;
  import kumi_sw2_pkg::MAX_BEATS;

  localparam int D_W = $clog2(BEATS) + 1;

  if (BEATS < 2 * MAX_BEATS) begin : gen_check_beats
    $fatal(0, "BEATS must hold two packets (%m)");
  end

  typedef enum logic [2:0] {
    INIT,
    BEAT0,
    BEAT1,
    BEAT2,
    LOOK,
    DECIDE,
    BODY
  } state_e;

  // ---- ICRC ------------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) in ();
  logic move, wrong_icrc;

  kumi_ib_icrc_check u_icrc (
      .clk,
      .rst,
      .s_axis,
      .m_axis(in),
      .ev_bad(wrong_icrc)
  );

  // ---- header ----------------------------------------------------------------------------------
  state_e state_q;
  logic [63:0] words;  // as the header has them
  logic [31:0] word0, word1;
  logic [15:0] slid_q;
  logic [10:0] left_q;  // words that the header promises and that have not come
  logic [23:0] qp_q, psn_q;
  logic [15:0] pkey_q;
  logic [ 7:0] syndrome_q;
  logic head_bad_q, lid_bad_q, is_ack_q, short;
  logic [CONN_W-1:0] conn, conn_q, clear_conn_q;
  logic init_q;

  assign move = in.tvalid && in.tready;
  assign word0 = swap32(in.tdata[31:0]);
  assign word1 = swap32(in.tdata[63:32]);
  assign words = {word0, word1};
  assign conn = words[CONN_W-1:0] - QP_BASE[CONN_W-1:0];
  assign short = in.tlast && !in.tkeep[4];
  assign rx_index = conn_q[CONN_W-1:2];

  // ---- connection: what the receiver expects ---------------------------------------------------
  typedef struct packed {
    logic [23:0] psn;
    logic [23:0] msn;
    logic        nak;  // a NAK has been sent, and what it asks for has not come
  } expect_t;
  expect_t ctx, ctx_d;
  logic ctx_we, clearing;

  assign clearing = state_q == INIT;
  kumi_ram_sdp #(
      .W($bits(expect_t)),
      .DEPTH(PEERS * VCS)
  ) u_ctx (
      .clk,
      .wr_en  (ctx_we || clearing),
      .wr_addr(clearing ? clear_conn_q : conn_q),
      .wr_data(clearing ? '0 : ctx_d),
      .rd_en  (1'b1),
      .rd_addr(conn_q),
      .rd_data(ctx)
  );

  // ---- decision --------------------------------------------------------------------------------
  logic [23:0] ahead_q;
  logic peer_lid_q, peer_key_q, qp_good_q, room_q, accept_q, body_bad_q, have_q;
  logic lid_drop_q, qp_drop_q, key_drop_q, dup_q, gap_q, full_q, nak_first_q;
  logic [VCS-1:0][D_W-1:0] depth;
  logic [VCS-1:0] rooms_q;
  logic first_q, whole_q;
  logic [6:0] rest_q;  // beats of the SW2 packet still to come
  logic [63:0] hold_q;
  sw2_head_t sw2_head;
  logic finish, icrc_good, length_good, payload_good, ours, good;

  assign sw2_head = sw2_head_t'(in.tdata);
  assign in.tready = state_q == BEAT0 ? !clear_valid && !init_q : state_q == BEAT1 ||
      state_q == BEAT2 || state_q == BODY;
  assign finish = move && in.tlast;
  assign icrc_good = !in.tuser[0];
  assign length_good = left_q == 11'd1 && short && state_q == BODY;
  assign payload_good = !body_bad_q && whole_q;
  assign ours = !head_bad_q && !lid_drop_q && !qp_drop_q && !key_drop_q && length_good;
  assign good = finish && state_q == BODY && icrc_good && ours;

  always_ff @(posedge clk) begin
    unique case (state_q)
      INIT: begin
        clear_conn_q <= clear_conn_q + 1'b1;
        if (init_q ? clear_conn_q == '1 : clear_conn_q[1:0] == '1) begin
          init_q  <= 1'b0;
          state_q <= BEAT0;
        end
      end
      BEAT0: begin
        lid_bad_q <= words[47:32] != cfg.lid;
        head_bad_q <= lnh_e'(words[49:48]) != LNH_LOCAL || words[59:56] != '0;
        left_q <= words[26:16] - 11'd2;
        slid_q <= words[15:0];
        if (clear_valid) begin
          clear_conn_q <= {clear_peer, 2'd0};
          state_q <= INIT;
        end else if (move && !in.tlast) begin
          state_q <= BEAT1;
        end
      end
      BEAT1: begin
        is_ack_q <= words[63:56] == kumi_rc_pkg::RC_ACKNOWLEDGE;
        if (words[63:56] != kumi_rc_pkg::RC_ACKNOWLEDGE
            && words[63:56] != kumi_rc_pkg::RC_SEND_ONLY_IMM) begin
          head_bad_q <= 1'b1;
        end
        if (words[51:48] != '0 || words[53:52] != '0) head_bad_q <= 1'b1;
        pkey_q <= words[47:32];
        qp_q   <= words[23:0];
        conn_q <= conn;
        if (move) begin
          left_q  <= left_q - 11'd2;
          state_q <= in.tlast ? BEAT0 : BEAT2;
        end
      end
      BEAT2: begin
        psn_q <= words[55:32];
        syndrome_q <= words[31:24];
        if (move) begin
          left_q  <= left_q - 11'd2;
          state_q <= in.tlast ? BEAT0 : LOOK;
        end
      end
      LOOK: begin  // entry and connection are there
        ahead_q <= psn_q - ctx.psn;
        peer_lid_q <= slid_q == rx_peer.lid;
        peer_key_q <= pkey_q == rx_peer.p_key;
        qp_good_q <= qp_q[23:CONN_W] == QP_BASE[23:CONN_W] && enabled[conn_q[CONN_W-1:2]];
        room_q <= rooms_q[conn_q[1:0]];
        state_q <= DECIDE;
      end
      DECIDE: begin
        lid_drop_q <= lid_bad_q || (qp_good_q && !peer_lid_q);
        qp_drop_q <= !qp_good_q;
        key_drop_q <= !peer_key_q;
        accept_q <= ahead_q == '0 && room_q && !is_ack_q;
        full_q <= ahead_q == '0 && !room_q;
        dup_q <= ahead_q[23];
        gap_q <= !ahead_q[23] && ahead_q != '0;
        nak_first_q <= !ctx.nak;
        first_q <= 1'b1;
        whole_q <= 1'b0;
        have_q <= 1'b0;
        body_bad_q <= 1'b0;
        state_q <= BODY;
      end
      default:
      if (move) begin
        left_q <= left_q - 11'd2;
        hold_q <= in.tdata;
        if (!in.tlast) begin
          have_q  <= 1'b1;
          first_q <= 1'b0;
          whole_q <= !first_q && rest_q == 7'd1;
          if (first_q) begin
            rest_q <= beats_of(sw2_head.len) - 1'b1;
            body_bad_q <= !len_good(sw2_head.len);
          end else if (rest_q != '0) begin
            rest_q <= rest_q - 1'b1;
          end
        end else begin
          state_q <= BEAT0;
        end
      end
    endcase
    if (rst) begin
      state_q <= INIT;
      init_q <= 1'b1;
      clear_conn_q <= '0;
    end
  end
  assign clear_ready = state_q == INIT && !init_q && clear_conn_q[1:0] == '1;

  // ---- the end of a packet ---------------------------------------------------------------------
  logic data_end;
  assign data_end = good && !is_ack_q && payload_good;
  always_comb begin
    ctx_d = ctx;
    if (accept_q) begin
      ctx_d.psn = ctx.psn + 1'b1;
      ctx_d.msn = ctx.msn + 1'b1;
      ctx_d.nak = 1'b0;
    end else if (full_q || gap_q) begin
      ctx_d.nak = 1'b1;
    end
  end
  assign ctx_we = data_end;

  always_ff @(posedge clk) begin
    ack_valid <= good && is_ack_q && !have_q && !rst;
    ack_conn  <= conn_q;
    ack_psn   <= psn_q;
    unique case (syndrome_q[6:5])
      2'b00:   ack_kind <= ANSWER_ACK;
      2'b01:   ack_kind <= ANSWER_RNR;
      default: ack_kind <= syndrome_q[4:0] == '0 ? ANSWER_NAK : ANSWER_FATAL;
    endcase

    answer_valid <= data_end && (accept_q || dup_q || full_q || (gap_q && nak_first_q)) && !rst;
    answer_conn <= conn_q;
    answer_syndrome <= accept_q || dup_q ? SYNDROME_ACK : full_q ? SYNDROME_RNR : SYNDROME_NAK_PSN;
    answer_psn <= dup_q ? ctx.psn - 1'b1 : ctx.psn;
    answer_msn <= ctx.msn + 24'(accept_q);

    ev_received <= data_end && accept_q;
    ev_ack_sent <= data_end && (accept_q || dup_q);
    ev_nak_sent <= data_end && gap_q && nak_first_q;
    ev_rnr_sent <= data_end && full_q;
    ev_duplicate <= data_end && dup_q;
    ev_gap <= data_end && gap_q;
    ev_no_space <= data_end && full_q;
    ev_bad_header <= finish && icrc_good && (state_q != BODY || head_bad_q || !length_good);
    ev_bad_lid <= finish && icrc_good && state_q == BODY && !head_bad_q && length_good
        && lid_drop_q;
    ev_bad_qp <= finish && icrc_good && state_q == BODY && !head_bad_q && length_good
        && !lid_drop_q && qp_drop_q;
    ev_bad_pkey <= finish && icrc_good && state_q == BODY && !head_bad_q && length_good
        && !lid_drop_q && !qp_drop_q && key_drop_q;
    ev_bad_payload <= good && (is_ack_q ? have_q : !payload_good);
    ev_bad_icrc <= wrong_icrc;
    if (rst) begin
      ev_received <= 1'b0;
      ev_ack_sent <= 1'b0;
      ev_nak_sent <= 1'b0;
      ev_rnr_sent <= 1'b0;
      ev_duplicate <= 1'b0;
      ev_gap <= 1'b0;
      ev_no_space <= 1'b0;
      ev_bad_header <= 1'b0;
      ev_bad_lid <= 1'b0;
      ev_bad_qp <= 1'b0;
      ev_bad_pkey <= 1'b0;
      ev_bad_payload <= 1'b0;
      ev_bad_icrc <= 1'b0;
    end
  end

  // ---- buffers: the beat before the ICRC is the packet's last ----------------------------------
  logic store_q, store_last_q, store_bad_q, no_overrun;
  logic [ 1:0] store_vc_q;
  logic [63:0] store_data_q;

  always_ff @(posedge clk) begin
    store_q      <= state_q == BODY && move && have_q && accept_q && !rst;
    store_vc_q   <= conn_q[1:0];
    store_data_q <= hold_q;
    store_last_q <= in.tlast;
    store_bad_q  <= !data_end;
  end

  kumi_sw2_vc_buf #(
      .BEATS(BEATS)
  ) u_buffers (
      .clk,
      .rst,
      .in_valid(store_q),
      .in_vc(store_vc_q),
      .in_data(store_data_q),
      .in_last(store_last_q),
      .in_bad(store_bad_q),
      .m_axis,
      .depth,
      .ev_overrun(no_overrun)
  );
  // Only less than this when it is looked at: beats of the packet before were stored by then.
  always_ff @(posedge clk) begin
    for (int v = 0; v < VCS; ++v) rooms_q[v] <= depth[v] <= D_W'(BEATS - MAX_BEATS - 2);
  end

  logic unused;
  assign unused = ^{no_overrun, in.tid, in.tdest, in.tkeep, rx_peer, sw2_head,
                    syndrome_q[7], qp_q, words, cfg};
endmodule
