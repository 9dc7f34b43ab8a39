// SPDX-License-Identifier: Apache-2.0
//
// Send side of a router: SW2 packets into InfiniBand packets, new ones and those to be
// retransmitted, and the answers of the receive side.
//
// s_axis[v]: whole SW2 packets of channel v, as kumi_sw2_link gives them. m_axis: InfiniBand
//   packets from LRH on, without the ICRC that their PktLen counts. A channel whose packet cannot
//   be sent yet does not hold up another.
// answer_*: an ACK or NAK to send. ask_*, resend_*: kumi_ib_router_conn. tx_index, tx_peer,
//   enabled: kumi_ib_router_peers.
// Each packet is kept in the buffer of its connection, WINDOW packets of 512 bytes.
// Bad input: a packet for a node that is no peer, or whose peer is dead, is dropped and counted.
// Latency: first beat in to first beat out 5 to 8 cycles; a beat in a cycle then.
module kumi_ib_router_send
  import kumi_ib_router_pkg::*;
  import kumi_ib_pkg::*;
#(
    parameter  int PEERS  = 64,
    parameter  int WINDOW = 4,
    localparam int CONN_W = $clog2(PEERS * VCS),
    localparam int PEER_W = $clog2(PEERS)
) (
    input logic clk,
    input logic rst,
    input cfg_t cfg,
    kumi_axis_if.snk s_axis[VCS],
    kumi_axis_if.src m_axis,

    input logic answer_valid,
    output logic answer_ready,
    input logic [CONN_W-1:0] answer_conn,
    input logic [7:0] answer_syndrome,
    input logic [23:0] answer_psn,
    input logic [23:0] answer_msn,

    output logic ask_valid,
    output logic ask_resend,
    output logic [CONN_W-1:0] ask_conn,
    input logic asked_valid,
    input logic asked_ok,
    input logic asked_dead,
    input logic asked_more,
    input logic [23:0] asked_psn,

    input logic resend_valid,
    input logic [CONN_W-1:0] resend_conn,
    output logic resend_take,

    output logic [PEER_W-1:0] tx_index,
    input router_peer_t tx_peer,
    input logic [PEERS-1:0] enabled,

    output logic ev_sent,
    output logic ev_resent,
    output logic ev_unknown_peer,
    output logic ev_dead_peer
);
  import kumi_sw2_pkg::sw2_head_t;
  import kumi_sw2_pkg::beats_of;

  localparam int SLOT_W = $clog2(WINDOW);
  localparam int BEAT_W = 6;  // beats of a slot
  localparam logic [10:0] EMPTY_LEN = 11'd7;  // words of a packet without payload

  typedef enum logic [3:0] {
    IDLE,
    LOOK,
    ASK,
    FETCH,
    LENGTH,
    HDR0,
    HDR1,
    HDR2,
    BODY,
    DRAIN
  } state_e;

  typedef enum logic [1:0] {
    FROM_SW2,
    FROM_BUFFER,
    FROM_ANSWER
  } from_e;

  state_e state_q;
  from_e  from_q;

  // ---- channels: in turn -----------------------------------------------------------------------
  logic [VCS-1:0] valid, pick, pick_q, last;
  logic [VCS-1:0][63:0] data;
  logic [63:0] beat;
  logic beat_valid, beat_last, beat_take;
  logic [1:0] vc_q;
  sw2_head_t head, stored_head;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    assign valid[v] = s_axis[v].tvalid;
    assign last[v] = s_axis[v].tlast;
    assign data[v] = s_axis[v].tdata;
    assign s_axis[v].tready = beat_take && pick_q[v];
  end
  kumi_arbiter #(
      .N(VCS)
  ) u_arbiter (
      .clk,
      .rst,
      .req  (valid),
      .done (state_q == IDLE),
      .grant(pick)
  );
  assign beat = data[vc_q];
  assign beat_valid = valid[vc_q];
  assign beat_last = last[vc_q];
  assign head = sw2_head_t'(beat);

  // ---- choice: answers, retransmissions and new packets in turn --------------------------------
  logic [CONN_W-1:0] conn_q;
  logic known_q, resent_q, taken, last_taken;
  logic [23:0] psn_q;
  logic [10:0] len_q;

  assign ask_valid = state_q == ASK && (from_q == FROM_BUFFER || known_q);
  assign ask_resend = from_q == FROM_BUFFER;
  assign ask_conn = conn_q;
  assign tx_index = conn_q[CONN_W-1:2];
  assign taken = m_axis.tvalid && m_axis.tready;
  assign last_taken = taken && m_axis.tlast;

  always_ff @(posedge clk) begin
    unique case (state_q)
      IDLE: begin
        pick_q <= pick;
        vc_q   <= {pick[3] || pick[2], pick[3] || pick[1]};
        if (answer_valid) begin
          from_q  <= FROM_ANSWER;
          conn_q  <= answer_conn;
          len_q   <= EMPTY_LEN;
          psn_q   <= answer_psn;
          state_q <= LENGTH;
        end else if (resend_valid && !(resent_q && valid != '0)) begin
          from_q   <= FROM_BUFFER;
          conn_q   <= resend_conn;
          resent_q <= 1'b1;
          state_q  <= ASK;
        end else begin
          from_q   <= FROM_SW2;
          resent_q <= 1'b0;
          if (valid != '0) state_q <= LOOK;
        end
      end
      LOOK: begin
        conn_q  <= {head.dst[PEER_W-1:0], vc_q};
        len_q   <= EMPTY_LEN + {3'd0, beats_of(head.len), 1'b0};
        known_q <= 32'(head.dst) < PEERS && enabled[head.dst[PEER_W-1:0]];
        state_q <= ASK;
      end
      ASK:
      if (from_q == FROM_SW2 && !known_q) begin
        state_q <= DRAIN;
      end else if (asked_valid) begin
        psn_q <= asked_psn;
        state_q <= from_q == FROM_SW2 && asked_dead ? DRAIN : !asked_ok ? IDLE :
            from_q == FROM_BUFFER ? FETCH : HDR0;
      end
      FETCH: state_q <= LENGTH;
      LENGTH: begin
        if (from_q == FROM_BUFFER) len_q <= EMPTY_LEN + {3'd0, beats_of(stored_head.len), 1'b0};
        state_q <= HDR0;
      end
      HDR0: if (taken) state_q <= HDR1;
      HDR1: if (taken) state_q <= HDR2;
      HDR2: if (taken) state_q <= from_q == FROM_ANSWER ? IDLE : BODY;
      BODY: if (last_taken) state_q <= IDLE;
      default: if (beat_valid && beat_last) state_q <= IDLE;
    endcase
    if (rst) begin
      state_q  <= IDLE;
      resent_q <= 1'b0;
    end
  end

  assign answer_ready = state_q == HDR2 && taken && from_q == FROM_ANSWER;
  // Out of the queue with its last packet, or without any.
  assign resend_take = state_q == ASK && asked_valid && from_q == FROM_BUFFER &&
      !(asked_ok && asked_more);

  // ---- buffer ----------------------------------------------------------------------------------
  logic [BEAT_W-1:0] at_q, at;  // beat of the slot that is read or written
  logic [SLOT_W-1:0] slot;
  logic [63:0] stored;
  logic [10:0] left_q;  // words of the payload still to be sent
  logic body_last;

  assign slot = psn_q[SLOT_W-1:0];
  assign stored_head = sw2_head_t'(stored);
  assign at = state_q == BODY ? at_q + BEAT_W'(taken) : '0;
  assign body_last = from_q == FROM_SW2 ? beat_last : left_q == 11'd2;

  kumi_ram_sdp #(
      .W(64),
      .DEPTH(PEERS * VCS * WINDOW * 2 ** BEAT_W)
  ) u_buffer (
      .clk,
      .wr_en  (state_q == BODY && from_q == FROM_SW2 && taken),
      .wr_addr({conn_q, slot, at_q}),
      .wr_data(beat),
      .rd_en  (1'b1),
      .rd_addr({conn_q, slot, at}),
      .rd_data(stored)
  );
  always_ff @(posedge clk) begin
    if (state_q == HDR0) begin
      at_q   <= '0;
      left_q <= len_q - EMPTY_LEN;
    end else if (state_q == BODY && taken) begin
      at_q   <= at_q + 1'b1;
      left_q <= left_q - 11'd2;
    end
  end
  assign beat_take = (state_q == BODY && from_q == FROM_SW2 && m_axis.tready) || state_q == DRAIN;

  // ---- packets ---------------------------------------------------------------------------------
  lrh_t lrh;
  bth_t bth;
  logic [31:0] extra;  // ImmDt or AETH

  always_comb begin
    lrh = '0;
    lrh.sl = cfg.sl[conn_q[1:0]];
    lrh.lnh = LNH_LOCAL;
    lrh.dlid = tx_peer.lid;
    lrh.pkt_len = len_q;
    lrh.slid = cfg.lid;
    bth = '0;
    bth.opcode = from_q == FROM_ANSWER ? kumi_rc_pkg::RC_ACKNOWLEDGE :
        kumi_rc_pkg::RC_SEND_ONLY_IMM;
    bth.mig_req = 1'b1;
    bth.p_key = tx_peer.p_key;
    bth.dest_qp = tx_peer.qpn + 24'(conn_q[1:0]);
    bth.ack_req = from_q != FROM_ANSWER;
    bth.psn = psn_q;
    extra = from_q == FROM_ANSWER ? {answer_syndrome, answer_msn} : {30'd0, conn_q[1:0]};
  end

  assign m_axis.tvalid = state_q == HDR0 || state_q == HDR1 || state_q == HDR2 ||
      (state_q == BODY && (from_q == FROM_BUFFER || beat_valid));
  always_comb begin
    unique case (state_q)
      HDR0:    m_axis.tdata = {swap32(lrh[31:0]), swap32(lrh[63:32])};
      HDR1:    m_axis.tdata = {swap32(bth[63:32]), swap32(bth[95:64])};
      HDR2:    m_axis.tdata = {swap32(extra), swap32(bth[31:0])};
      default: m_axis.tdata = from_q == FROM_SW2 ? beat : stored;
    endcase
  end
  assign m_axis.tkeep = '1;
  assign m_axis.tlast = state_q == BODY ? body_last : state_q == HDR2 && from_q == FROM_ANSWER;
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  always_ff @(posedge clk) begin
    ev_sent <= state_q == BODY && last_taken && from_q == FROM_SW2 && !rst;
    ev_resent <= state_q == BODY && last_taken && from_q == FROM_BUFFER && !rst;
    ev_unknown_peer <= state_q == ASK && from_q == FROM_SW2 && !known_q && !rst;
    ev_dead_peer <= state_q == ASK && from_q == FROM_SW2 && known_q && asked_valid && asked_dead
        && !rst;
  end

  logic unused;
  assign unused = ^{stored_head, head, tx_peer.enable, cfg};
endmodule
