// SPDX-License-Identifier: Apache-2.0
//
// Transmit window: ACK processing, loss detection, retransmission timers, probes.
//
// acked: acknowledgements of current associations; others are ignored. One with an `ack` beyond
//   what was sent is ignored and pulses ev_bad_ack.
// Loss detection: the transmissions to a peer are numbered (order). A frame is lost when one that
//   was sent `threshold` transmissions later has arrived; this also detects lost retransmissions.
//   The threshold starts at 3, grows by 2 up to 16 with each spurious retransmission that the peer
//   reports, and returns to 3 on a time-out. A time-out retransmits the oldest unacknowledged
//   frame.
// Timers: kumi_eth_rtp_rtt_estimator; only frames that were sent once and asked for an ACK are
//   sampled (P. Karn, C. Partridge, SIGCOMM 1987). A peer with nothing in flight is probed while it
//   owes credit or the rest of a message. cfg.max_timeouts time-outs without a sign of life:
//   dead_*.
// Scanner: between acknowledgements one peer is checked every 5 to 6 cycles.
// op: from the association engine. FLUSH releases the slots of a peer that is down; INIT restarts
//   at number 0 with op_limit. op_done answers.
// Tables, one cycle after their address: conn, snd_nxt, open (a message is partly received) at
//   rd_peer; map (slot of a number); sent (transmission record of a slot). Owns una and limit,
//   written through tx_win_*.
// free_*: slots, accepted at once. rtx: frames to retransmit; does not wait for a full queue.
// Latency: an acknowledgement takes 4 cycles, plus 3 and one per frame that it frees, as many again
//   for frames that arrived out of order, and 2 for a round-trip sample.
module kumi_eth_rtp_tx_window
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS     = 64,
    parameter int TX_WINDOW = 16,
    parameter int PEER_W    = 6,
    parameter int SLOT_W    = 5
) (
    input logic clk,
    input logic rst,
    input rtp_cfg_t cfg,
    input logic [23:0] tick,

    input  rtp_rx_ack_t acked,
    input  logic        acked_valid,
    output logic        acked_ready,

    input  logic              op_valid,
    input  logic              op_init,   // else flush
    input  logic [PEER_W-1:0] op_peer,
    input  logic [       6:0] op_limit,
    output logic              op_done,

    output logic           [                  PEER_W-1:0] rd_peer,
    input  rtp_conn_t                                     conn,
    input  logic           [                        31:0] snd_nxt,
    input  logic                                          open,
    output logic           [PEER_W+$clog2(TX_WINDOW)-1:0] map_rd,
    input  logic           [                  SLOT_W-1:0] map,
    output logic           [                  SLOT_W-1:0] sent_rd,
    input  rtp_tx_record_t                                sent,

    output logic              tx_win_wr,
    output logic [PEER_W-1:0] tx_win_peer,
    output logic [      31:0] tx_win_una,
    output logic [      31:0] tx_win_limit,

    output logic     [7:0] free_slot,
    output logic           free_valid,
    output rtp_rtx_t       rtx,
    output logic           rtx_valid,
    input  logic           rtx_ready,

    output rtp_ack_req_t        probe,
    output logic                probe_valid,
    output logic         [11:0] dead_peer,
    output logic         [19:0] dead_gen,
    output logic                dead_valid,
    input  logic                dead_ready,

    output logic waiting,     // a timer is running
    output logic ev_lost,
    output logic ev_timeout,
    output logic ev_spurious_rtx,
    output logic ev_bad_ack
);
  localparam int WIN_W = $clog2(TX_WINDOW);
  localparam logic [4:0] THRESHOLD = 5'd3;
  localparam logic [4:0] THRESHOLD_MAX = 5'd16;

  typedef enum logic [1:0] {
    TM_OFF,
    TM_RTX,   // frames are in flight
    TM_PROBE
  } timer_e;

  typedef struct packed {
    logic [31:0] una;        // not acknowledged
    logic [31:0] limit;
    logic [22:0] srtt;
    logic [21:0] rttvar;
    logic        rtt_known;
    timer_e      timer;
    logic [23:0] expire;
    logic [3:0]  tries;      // time-outs since the peer was last heard
    logic [3:0]  backoff;    // time-outs since the last progress
    logic [4:0]  threshold;
    logic        top_known;
    logic [15:0] top;        // highest transmission number known to have arrived
  } rtp_tx_window_entry_t;

  typedef enum logic [3:0] {
    ST_CLEAR,   // clear the marks after reset
    ST_IDLE,
    ST_READ,
    ST_WAIT,    // for the RTO computation
    ST_CHECK,
    ST_WALK,
    ST_RTT,     // update the estimator and the RTO
    ST_UPDATE,
    ST_TIMER,
    ST_WRITE,
    ST_INIT
  } rtp_tx_window_state_e;

  typedef enum logic [1:0] {
    WORK_SCAN,
    WORK_ACK,
    WORK_FLUSH
  } work_e;

  rtp_tx_window_state_e state_q;
  work_e work_q;
  rtp_walk_e walk_q;
  rtp_tx_window_entry_t entry, e_q, e_init;
  logic [PEER_W-1:0] peer_q, scan_q;
  rtp_rx_ack_t a_q;
  logic open_q;
  logic [19:0] gen_q;
  logic [31:0] snd_nxt_q;
  logic [6:0] flight_q, freed_q;  // frames in flight, frames acknowledged by this one
  logic [31:0] distance;

  kumi_ram_sdp #(
      .W($bits(rtp_tx_window_entry_t)),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_entry (
      .clk,
      .wr_en  (tx_win_wr),
      .wr_addr(tx_win_peer),
      .wr_data(state_q == ST_INIT ? e_init : e_q),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(entry)
  );

  assign rd_peer = state_q == ST_IDLE ? (op_valid ? op_peer : acked_valid ? PEER_W'(acked.peer)
      : scan_q) : peer_q;
  assign acked_ready = state_q == ST_IDLE && !op_valid;

  always_comb begin
    e_init           = '0;
    e_init.limit     = 32'(op_limit);
    e_init.threshold = THRESHOLD;
    e_init.timer     = TM_OFF;
  end
  assign tx_win_wr    = state_q == ST_WRITE || state_q == ST_INIT;
  assign tx_win_peer  = peer_q;
  assign tx_win_una = state_q == ST_INIT ? e_init.una : e_q.una;
  assign tx_win_limit = state_q == ST_INIT ? e_init.limit : e_q.limit;
  assign op_done    = state_q == ST_INIT || (state_q == ST_WRITE && work_q == WORK_FLUSH);

  // ---- Walk over the slots of a peer, pipelined: number, slot, contents -------------------------
  logic [6:0] index_q, end_q, s1_index_q, s2_index_q;
  logic issue, s1_q, s2_q, walk_over;
  logic [SLOT_W-1:0] s2_slot_q, fill_q;
  logic [31:0] number, s2_number;
  logic in_use, arrived, newer, requeue;
  logic [23:0] age;

  assign issue     = state_q == ST_WALK && index_q != end_q;
  assign walk_over = state_q == ST_WALK && index_q == end_q && !s1_q;  // s2 holds the last one
  assign number    = e_q.una + 32'(index_q);
  assign map_rd    = {peer_q, number[WIN_W-1:0]};
  assign sent_rd   = map;
  assign s2_number = e_q.una + 32'(s2_index_q);

  assign arrived   = a_q.sack[6'(s2_index_q-freed_q-7'd1)] && s2_index_q != freed_q;

  kumi_eth_rtp_loss_detect #(
      .SLOT_W(SLOT_W)
  ) u_loss_detect (
      .clk,
      .clear(state_q == ST_CLEAR),
      .clear_slot(fill_q),
      .tick,
      .rd_slot(map),
      .valid(s2_q),
      .walk(walk_q),
      .slot(s2_slot_q),
      .seq(s2_number[7:0]),
      .sent,
      .arrived,
      .srtt(e_q.srtt),
      .rtt_known(e_q.rtt_known),
      .top(e_q.top),
      .top_known(e_q.top_known),
      .threshold(e_q.threshold),
      .rtx_ready,
      .in_use,
      .age,
      .newer,
      .requeue
  );

  assign free_slot  = 8'(s2_slot_q);
  assign free_valid = s2_q && walk_q == RTP_WALK_FREE;
  assign rtx        = '{peer: 12'(peer_q), gen: gen_q, slot: 8'(s2_slot_q), seq: s2_number};
  assign rtx_valid  = requeue;

  // ---- Round trip -------------------------------------------------------------------------------
  logic [19:0] sample_q, rto, rto_backed_off;
  logic sample_known_q, rtx_seen_q;
  logic [22:0] srtt_new;
  logic [21:0] rttvar_new;

  kumi_eth_rtp_rtt_estimator u_rtt (
      .clk,
      .cfg,
      .srtt(e_q.srtt),
      .rttvar(e_q.rttvar),
      .known(e_q.rtt_known),
      .sample(sample_q),
      .backoff(e_q.backoff),
      .srtt_new,
      .rttvar_new,
      .rto,
      .rto_backed_off
  );

  // ---- Timers -----------------------------------------------------------------------------------
  logic expired, owing, spent, round_q;
  logic [23:0] overdue;
  logic [ 3:0] retry;
  logic [19:0] pause;
  assign overdue = tick - e_q.expire;
  assign expired = !overdue[23];
  assign owing = e_q.limit == snd_nxt_q || open_q;
  assign retry = cfg.max_timeouts == '0 ? 4'd1 : cfg.max_timeouts;
  assign spent = e_q.tries + 4'd1 >= retry;
  // Without credit a window update may be lost: probe soon. The rest of a message may take long.
  assign pause = e_q.limit == snd_nxt_q && rto_backed_off < cfg.probe_interval ? rto_backed_off
      : cfg.probe_interval;
  assign distance = a_q.ack - e_q.una;

  logic [31:0] more_limit;
  assign more_limit = a_q.limit - e_q.limit;

  logic unused;
  assign unused = ^{conn.tag, a_q.peer, number, overdue};

  always_ff @(posedge clk) begin
    ev_lost         <= 1'b0;
    ev_timeout      <= 1'b0;
    ev_spurious_rtx <= 1'b0;
    ev_bad_ack      <= 1'b0;
    probe_valid     <= 1'b0;
    if (dead_ready) dead_valid <= 1'b0;

    s1_q       <= issue;
    s1_index_q <= index_q;
    s2_q       <= s1_q;
    s2_index_q <= s1_index_q;
    s2_slot_q  <= map;
    if (issue) index_q <= index_q + 7'd1;

    unique case (state_q)
      ST_CLEAR: begin
        fill_q <= fill_q + 1'b1;
        if (&fill_q) state_q <= ST_IDLE;
      end

      ST_IDLE: begin
        peer_q <= rd_peer;
        a_q    <= acked;
        if (op_valid) begin
          work_q  <= WORK_FLUSH;
          state_q <= op_init ? ST_INIT : ST_READ;
        end else if (acked_valid) begin
          work_q  <= WORK_ACK;
          state_q <= ST_READ;
        end else begin
          work_q  <= WORK_SCAN;
          state_q <= ST_READ;
          scan_q  <= 32'(scan_q) == PEERS - 1 ? '0 : scan_q + 1'b1;
          if (scan_q == '0) begin
            waiting <= round_q;
            round_q <= 1'b0;
          end
        end
      end

      ST_READ: begin
        e_q            <= entry;
        snd_nxt_q      <= snd_nxt;
        gen_q          <= conn.gen;
        open_q         <= open;
        flight_q       <= 7'(snd_nxt - entry.una);
        index_q        <= '0;
        end_q          <= 7'(snd_nxt - entry.una);
        freed_q        <= '0;
        sample_known_q <= 1'b0;
        rtx_seen_q     <= 1'b0;
        walk_q         <= RTP_WALK_FREE;
        unique case (work_q)
          WORK_FLUSH: state_q <= ST_WALK;
          WORK_ACK:   state_q <= conn.up && conn.gen == a_q.gen ? ST_CHECK : ST_IDLE;
          default:    state_q <= conn.up ? ST_WAIT : ST_IDLE;
        endcase
      end

      ST_WAIT: state_q <= ST_RTT;

      ST_CHECK: begin
        freed_q <= 7'(distance);
        end_q   <= 7'(distance);
        if (distance[31]) begin
          state_q <= ST_IDLE;  // older than one already processed
        end else if (distance > 32'(flight_q)) begin
          state_q <= ST_IDLE;
          ev_bad_ack <= 1'b1;
        end else if (distance != '0) begin
          state_q <= ST_WALK;
        end else if (a_q.full && a_q.sack != '0) begin
          walk_q  <= RTP_WALK_MARK;
          end_q   <= flight_q;
          state_q <= ST_WALK;
        end else begin
          state_q <= ST_UPDATE;
        end
      end

      ST_WALK: begin
        if (s2_q) begin
          if (walk_q == RTP_WALK_FREE || (walk_q == RTP_WALK_MARK && arrived)) begin
            if (newer) begin
              e_q.top       <= sent.order;
              e_q.top_known <= 1'b1;
            end
            if (sent.rtx) rtx_seen_q <= 1'b1;
            if (walk_q == RTP_WALK_FREE && in_use && sent.ack_req && !sent.rtx
                && work_q == WORK_ACK) begin
              sample_known_q <= 1'b1;
              sample_q       <= age[23:20] != '0 ? '1 : age[19:0];
            end
          end
          if (walk_q == RTP_WALK_HEAD && requeue) begin
            ev_timeout    <= 1'b1;
            e_q.tries     <= e_q.tries + 4'd1;
            e_q.backoff   <= &e_q.backoff ? e_q.backoff : e_q.backoff + 4'd1;
            e_q.threshold <= THRESHOLD;
          end
          if (walk_q == RTP_WALK_LOST && requeue) ev_lost <= 1'b1;
        end
        if (walk_over) begin
          index_q <= freed_q;
          end_q   <= flight_q;
          if (work_q == WORK_FLUSH) begin
            e_q.una   <= snd_nxt_q;
            e_q.timer <= TM_OFF;
            state_q   <= ST_WRITE;
          end else if (work_q == WORK_SCAN) begin
            state_q <= ST_WRITE;
          end else if (walk_q == RTP_WALK_FREE && a_q.full && a_q.sack != '0) begin
            walk_q <= RTP_WALK_MARK;
          end else if (walk_q != RTP_WALK_LOST && flight_q != freed_q
              && (walk_q == RTP_WALK_MARK || rtx_seen_q || sent.rtx)) begin
            walk_q <= RTP_WALK_LOST;
          end else begin
            state_q <= sample_known_q || (s2_q && walk_q == RTP_WALK_FREE) ? ST_RTT : ST_UPDATE;
          end
        end
      end

      ST_RTT: begin
        if (sample_known_q) begin
          e_q.srtt      <= srtt_new;
          e_q.rttvar    <= rttvar_new;
          e_q.rtt_known <= 1'b1;
        end
        state_q <= work_q == WORK_SCAN ? ST_TIMER : ST_UPDATE;
      end

      ST_UPDATE: begin
        // Any frame is a sign of life; only new acknowledgements or credit are progress.
        e_q.una   <= a_q.ack;
        e_q.tries <= '0;
        if (freed_q != '0) e_q.backoff <= '0;
        if (a_q.full && !more_limit[31] && more_limit != '0) begin
          e_q.limit   <= a_q.limit;
          e_q.backoff <= '0;
        end
        if (a_q.full && a_q.dup) begin
          ev_spurious_rtx <= 1'b1;
          e_q.threshold <= e_q.threshold >= THRESHOLD_MAX - 5'd2 ? THRESHOLD_MAX
              : e_q.threshold + 5'd2;
        end
        if (flight_q == freed_q) begin
          e_q.timer <= TM_OFF;
        end else if (freed_q != '0) begin
          e_q.timer  <= TM_RTX;
          e_q.expire <= tick + 24'(rto);
        end
        state_q <= ST_WRITE;
      end

      ST_TIMER: begin
        state_q <= ST_WRITE;
        if (e_q.timer != TM_OFF) round_q <= 1'b1;
        if (flight_q != '0) begin
          round_q <= 1'b1;
          if (e_q.timer != TM_RTX) begin
            e_q.timer  <= TM_RTX;
            e_q.expire <= tick + 24'(rto);
          end else if (!expired) begin
            state_q <= ST_IDLE;
          end else if (spent) begin
            dead_valid <= 1'b1;
            dead_peer  <= 12'(peer_q);
            dead_gen   <= gen_q;
            state_q    <= ST_IDLE;
          end else begin
            walk_q     <= RTP_WALK_HEAD;
            index_q    <= '0;
            end_q      <= 7'd1;
            e_q.expire <= tick + 24'(rto_backed_off);
            state_q    <= ST_WALK;
          end
        end else if (owing) begin
          round_q <= 1'b1;
          if (e_q.timer != TM_PROBE) begin
            e_q.timer  <= TM_PROBE;
            e_q.expire <= tick + 24'(pause);
          end else if (!expired) begin
            state_q <= ST_IDLE;
          end else if (spent) begin
            dead_valid <= 1'b1;
            dead_peer  <= 12'(peer_q);
            dead_gen   <= gen_q;
            state_q    <= ST_IDLE;
          end else begin
            probe_valid <= 1'b1;
            probe       <= '{peer: 12'(peer_q), ack_req: 1'b1, dup: 1'b0};
            ev_timeout  <= 1'b1;
            e_q.tries   <= e_q.tries + 4'd1;
            e_q.backoff <= &e_q.backoff ? e_q.backoff : e_q.backoff + 4'd1;
            e_q.expire  <= tick + 24'(pause);
          end
        end else if (e_q.timer != TM_OFF) begin
          e_q.timer <= TM_OFF;
        end else begin
          state_q <= ST_IDLE;
        end
      end

      default: state_q <= ST_IDLE;  // ST_WRITE, ST_INIT
    endcase

    if (rst) begin
      state_q     <= ST_CLEAR;
      fill_q      <= '0;
      scan_q      <= '0;
      s1_q        <= 1'b0;
      s2_q        <= 1'b0;
      dead_valid  <= 1'b0;
      probe_valid <= 1'b0;
      waiting     <= 1'b0;
      round_q     <= 1'b0;
    end
  end
endmodule
