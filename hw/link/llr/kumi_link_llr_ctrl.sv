// SPDX-License-Identifier: Apache-2.0
//
// Control of link-level retry (LLR): session setup, NAK, ACK, probes, and when to go back.
//
// HELLO: each end sends its nonce and, once known, the other's. When its own nonce comes back the
//   session is open and both count from 0. A different nonce means that the other end has
//   restarted: the session restarts with a new nonce. Without a HELLO for HELLO_WAIT cycles of a
//   link that is up, frames pass without LLR (cfg.plain_ok), and HELLOs are sent 16 times less
//   often; one that arrives then takes the link down once, so that the session starts on a clean
//   line. A session survives the link going down and up.
// NAK: sent for a corrupt or out-of-order chunk; then none until a chunk of the sender's next
//   flight arrives or RENAK cycles have passed.
// ACK: the receiver's progress is sent in the next trailer, or as a message after ACK_CHUNKS chunks
//   or ACK_TIME cycles.
// PROBE: sent after TIMEOUT cycles without progress while chunks are unacknowledged, and when the
//   link has come up. The answer says where to continue. After PROBES without an answer the link is
//   retrained. Every wait is bounded by one of these times.
module kumi_link_llr_ctrl
  import kumi_link_pkg::*;
  import kumi_link_llr_pkg::*;
  import kumi_link_crc_pkg::*;
#(
    parameter int HELLO_TIME = 256,    // cycles between greetings
    parameter int HELLO_WAIT = 16384,  // cycles without an answer until frames pass plain
    parameter int ACK_CHUNKS = 4,
    parameter int ACK_TIME   = 256,    // cycles
    parameter int RENAK      = 1024,   // cycles
    parameter int TIMEOUT    = 2048,   // cycles
    parameter int PROBES     = 16
) (
    input logic clk,
    input logic rst,
    input logic up,

    // Messages.
    output logic        k_tx_valid,
    input  logic        k_tx_ready,
    output logic [ 3:0] k_tx_number,
    output logic [55:0] k_tx_data,
    input  logic        k_rx_valid,
    input  logic [ 3:0] k_rx_number,
    input  logic [55:0] k_rx_data,

    // Sender.
    output logic       run,
    output logic       restart,
    output logic       go_back,
    output logic [7:0] go_back_seq,
    output logic       freed,        // pulse: the other end has taken chunks before freed_seq
    output logic [7:0] freed_seq,
    input  logic [7:0] base_seq,
    input  logic [7:0] sent_seq,
    input  logic [7:0] next_seq,
    input  logic       freed_sent,

    // Receiver.
    output logic               open,
    input  logic               got,
    input  logic               got_bad,
    input  logic               got_in_order,
    input  logic               got_duplicate,
    input  llr_trailer_t       trailer,
    input  logic         [7:0] expected_seq,
    input  logic         [7:0] own_freed,

    output logic        plain,
    output logic        retrain,
    input  llr_cfg_t    cfg,
    output llr_status_t status,
    output logic        ev_nak_sent,
    output logic        ev_nak_seen,
    output logic        ev_timeout,
    output logic        ev_restart,
    output logic        ev_bad_message
);
  // ---- Messages received ------------------------------------------------------------------------
  logic in_q, in_right_q;
  logic [3:0] in_number_q;
  logic [23:0] in_info_q;
  llr_message_t msg;
  llr_hello_t hello;
  logic is_message, is_hello;

  always_ff @(posedge clk) begin
    in_q        <= k_rx_valid && (k_rx_number == K_MESSAGE || k_rx_number == K_HELLO);
    in_number_q <= k_rx_number;
    in_info_q   <= k_rx_data[55:32];
    in_right_q  <= wire_order(finish(START, k_rx_data[55:32])) == k_rx_data[31:0];
    if (rst) in_q <= 1'b0;
  end

  assign msg            = llr_message_t'(in_info_q);
  assign hello          = llr_hello_t'(in_info_q);
  assign is_message     = open && in_q && in_right_q && in_number_q == K_MESSAGE;
  assign is_hello       = cfg.enable && in_q && in_right_q && in_number_q == K_HELLO;
  assign ev_bad_message = in_q && !in_right_q;

  // ---- Session ----------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    ST_CLOSED,
    ST_PLAIN,
    ST_OPEN
  } link_llr_ctrl_state_e;

  localparam int HELLO_W = $clog2(HELLO_TIME);
  localparam int WAIT_W = $clog2(HELLO_WAIT + 1);

  link_llr_ctrl_state_e state_q;
  logic [10:0] nonce_q, peer_q;
  logic [HELLO_W+3:0] hello_time_q;
  logic [ WAIT_W-1:0] wait_q;
  logic hello_due_q, hello_sent;
  logic synced_q;  // the first probe since the link came up has been answered
  logic up_q, retrain_q;
  logic initial_q;  // the link has not been up yet: the nonce may still change
  logic alien_q;  // an answer that cannot belong to this session

  assign open  = state_q == ST_OPEN;
  assign plain = state_q == ST_PLAIN;
  assign run   = open && up && synced_q;

  always_ff @(posedge clk) begin
    up_q       <= up;
    initial_q  <= initial_q && !up;
    restart    <= 1'b0;
    ev_restart <= 1'b0;
    retrain    <= retrain_q;
    if (hello_sent) hello_due_q <= 1'b0;
    hello_time_q <= hello_time_q + 1'b1;
    if (state_q == ST_CLOSED && up && hello_time_q[HELLO_W-1:0] == '0) hello_due_q <= cfg.enable;
    if (state_q == ST_PLAIN && up && hello_time_q == '0) hello_due_q <= cfg.enable;
    if (state_q == ST_OPEN && up && !up_q) hello_due_q <= 1'b1;

    unique case (state_q)
      ST_CLOSED: begin
        if (!up) wait_q <= '0;
        else if (wait_q != WAIT_W'(HELLO_WAIT)) wait_q <= wait_q + 1'b1;
        if (up && cfg.plain_ok && (!cfg.enable || wait_q == WAIT_W'(HELLO_WAIT))) begin
          state_q <= ST_PLAIN;
        end
        if (is_hello) begin
          peer_q <= hello.nonce;
          wait_q <= '0;
          if (hello.echo == nonce_q) begin
            state_q <= ST_OPEN;
            restart <= 1'b1;
          end
        end
      end
      ST_PLAIN: begin
        wait_q <= '0;
        if (!up) state_q <= ST_CLOSED;
        if (is_hello || (!cfg.plain_ok && cfg.enable)) retrain <= 1'b1;
      end
      default: begin
        if ((is_hello && hello.nonce != peer_q) || !cfg.enable || alien_q) begin
          state_q    <= ST_CLOSED;
          nonce_q    <= nonce_q + (nonce_q == '1 ? 11'd2 : 11'd1);
          peer_q     <= is_hello ? hello.nonce : '0;
          ev_restart <= 1'b1;
          restart    <= 1'b1;
          wait_q     <= '0;
        end
      end
    endcase
    // An end that does not know this one yet is answered.
    if (is_hello && !(hello.open && hello.echo == nonce_q)) hello_due_q <= 1'b1;

    if (initial_q) nonce_q <= cfg.nonce[10:0] == '0 ? 11'd1 : cfg.nonce[10:0];

    if (rst) begin
      initial_q    <= 1'b1;
      state_q      <= ST_CLOSED;
      hello_due_q  <= 1'b0;
      hello_time_q <= '0;
      wait_q       <= '0;
      peer_q       <= '0;
    end
  end

  // ---- Retransmission ---------------------------------------------------------------------------
  logic ack_in, sane;
  logic [7:0] newer;

  assign ack_in = is_message || (got && open);
  assign sane   = msg.expected - base_seq <= sent_seq - base_seq;
  assign newer  = msg.freed - trailer.freed;

  always_ff @(posedge clk) begin
    freed       <= 1'b0;
    go_back     <= 1'b0;
    ev_nak_seen <= 1'b0;
    alien_q     <= 1'b0;
    if (got) begin
      freed     <= open;
      freed_seq <= trailer.freed;
    end
    if (is_message) begin
      freed       <= 1'b1;
      freed_seq   <= got && newer[7] ? trailer.freed : msg.freed;
      go_back_seq <= msg.expected;
      alien_q     <= msg.kind == MSG_ANSWER && !sane;
      if (sane) begin
        // Also for the chunk that is still being sent: its first part may be damaged.
        if (msg.kind == MSG_NAK && run) begin
          go_back     <= 1'b1;
          ev_nak_seen <= 1'b1;
        end
        if (msg.kind == MSG_ANSWER) begin
          go_back  <= !synced_q || msg.expected != next_seq;
          synced_q <= 1'b1;
        end
      end
    end
    if (rst || restart || !up || !open) begin
      freed    <= 1'b0;
      go_back  <= 1'b0;
      synced_q <= 1'b0;
      alien_q  <= 1'b0;
    end
  end

  // ---- Messages to send -------------------------------------------------------------------------
  logic nak_due_q, ack_due_q, answer_due_q, probe_due_q;
  logic nak_sent, ack_sent, answer_sent, probe_sent;

  // NAK.
  localparam int RENAK_W = $clog2(RENAK + 1);
  logic waiting_q;  // a NAK has been sent, and no chunk of a later flight has arrived
  logic [1:0] flight_q, nak_flight_q;
  logic [RENAK_W-1:0] renak_q;
  logic wants_nak;

  // Out of order: a chunk is missing. (An aborted chunk is not a loss.)
  assign wants_nak = (got && !got_in_order && !got_duplicate && trailer.kind != CHUNK_ABORT
                      && (!waiting_q || trailer.flight != nak_flight_q))
                  || (got_bad && !waiting_q)
                  || (waiting_q && renak_q == RENAK_W'(RENAK));

  always_ff @(posedge clk) begin
    if (renak_q != RENAK_W'(RENAK)) renak_q <= renak_q + 1'b1;
    if (nak_sent) nak_due_q <= 1'b0;
    if (got) begin
      flight_q <= trailer.flight;
      if (trailer.flight != nak_flight_q || got_in_order) waiting_q <= 1'b0;
    end
    if (wants_nak) begin
      nak_due_q    <= 1'b1;
      waiting_q    <= 1'b1;
      nak_flight_q <= got ? trailer.flight : flight_q;
      renak_q      <= '0;
    end
    if (rst || restart || !open || !up) begin
      nak_due_q <= 1'b0;
      waiting_q <= 1'b0;
      renak_q   <= '0;
      flight_q  <= '0;
    end
  end

  // ACK.
  localparam int ACK_W = $clog2(ACK_TIME + 1);
  logic [7:0] sent_freed_q;  // last own_freed that has been sent
  logic [ACK_W-1:0] ack_time_q;

  always_ff @(posedge clk) begin
    if (freed_sent || nak_sent || ack_sent || answer_sent || probe_sent) sent_freed_q <= own_freed;
    if (own_freed == sent_freed_q) ack_time_q <= '0;
    else if (ack_time_q != ACK_W'(ACK_TIME)) ack_time_q <= ack_time_q + 1'b1;
    ack_due_q <= own_freed - sent_freed_q >= 8'(ACK_CHUNKS) || ack_time_q == ACK_W'(ACK_TIME)
        || (got && got_duplicate);
    if (ack_sent || freed_sent) ack_due_q <= 1'b0;
    if (rst || restart || !open || !up) begin
      sent_freed_q <= '0;
      ack_time_q   <= '0;
      ack_due_q    <= 1'b0;
    end
  end

  // PROBE.
  localparam int TIME_W = $clog2(TIMEOUT + 1);
  localparam int PROBES_W = $clog2(PROBES + 1);
  logic [  TIME_W-1:0] time_q;
  logic [PROBES_W-1:0] probes_q;
  logic [7:0] base_was_q, next_was_q;

  always_ff @(posedge clk) begin
    base_was_q <= base_seq;
    next_was_q <= next_seq;
    ev_timeout <= 1'b0;
    retrain_q  <= 1'b0;
    if (probe_sent) probe_due_q <= 1'b0;
    if (base_seq != base_was_q || next_seq != next_was_q
        || (synced_q && base_seq == sent_seq)) begin
      time_q <= '0;
    end else begin
      time_q <= time_q + 1'b1;
    end
    if (ack_in) probes_q <= '0;
    if (time_q == TIME_W'(TIMEOUT) || (!synced_q && time_q == TIME_W'(HELLO_TIME))) begin
      time_q      <= '0;
      probe_due_q <= 1'b1;
      ev_timeout  <= synced_q;
      probes_q    <= probes_q + 1'b1;
      retrain_q   <= probes_q == PROBES_W'(PROBES - 1);
    end
    if (rst || restart || !open || !up) begin
      time_q      <= TIME_W'(HELLO_TIME);
      probe_due_q <= 1'b0;
      probes_q    <= '0;
    end
  end

  // ANSWER.
  always_ff @(posedge clk) begin
    if (answer_sent) answer_due_q <= 1'b0;
    if (is_message && msg.kind == MSG_PROBE) answer_due_q <= 1'b1;
    if (rst || restart || !open || !up) answer_due_q <= 1'b0;
  end

  // One at a time. A message is built when it is accepted, so it is up to date.
  llr_hello_t own_hello;
  llr_message_t own_message;
  llr_message_e kind;
  logic [23:0] info;

  always_comb begin
    own_hello = '{open: open, nonce: nonce_q, zero: 1'b0, echo: peer_q};
    if (nak_due_q) kind = MSG_NAK;
    else if (answer_due_q) kind = MSG_ANSWER;
    else if (probe_due_q) kind = MSG_PROBE;
    else kind = MSG_ACK;
    own_message = '{kind: kind, zero: '0, expected: expected_seq, freed: own_freed};
    info = hello_due_q ? own_hello : own_message;
  end

  assign k_tx_valid = hello_due_q || nak_due_q || answer_due_q || probe_due_q || ack_due_q;
  assign k_tx_number = hello_due_q ? K_HELLO : K_MESSAGE;
  assign k_tx_data = {info, wire_order(finish(START, info))};
  assign hello_sent = k_tx_ready && hello_due_q;
  assign nak_sent = k_tx_ready && !hello_due_q && kind == MSG_NAK;
  assign answer_sent = k_tx_ready && !hello_due_q && kind == MSG_ANSWER;
  assign probe_sent = k_tx_ready && !hello_due_q && kind == MSG_PROBE;
  assign ack_sent = k_tx_ready && !hello_due_q && kind == MSG_ACK;
  assign ev_nak_sent = nak_sent;

  assign status = '{
          open: (run || (plain && up)),
          retry: open,
          unacked: sent_seq - base_seq > 8'd63 ? 6'd63 : 6'(sent_seq - base_seq)
      };

  logic unused;
  assign unused = ^{trailer, msg.zero, hello.zero, newer[6:0]};
endmodule
