// SPDX-License-Identifier: Apache-2.0
//
// DHCP client (RFC 2131): gets an IPv4 address, keeps it, gives it back.
//
// enable: high: get and keep a lease; low: give it back (RELEASE) and be off.
// mac: of this station. tick_cycles: clock cycles of a millisecond, the time base of all waits.
// conflict: one-cycle pulse: another station claims the address in use (kumi_ip_stack).
// s_axis: payloads of received datagrams for port 68, 8 bits wide, always accepted.
// m_hdr, m_axis: datagrams to send, udp_hdr_t and payload, 8 bits wide.
// state, lease, age: what stands, and how many seconds of the lease have passed. addressed: the
//   lease's address is this node's. announce: pulse: tell the link (gratuitous ARP).
// busy: a message is being sent. ev: pulses; those of the node stay 0.
//
// Waits: DISCOVER is repeated after 4, 8, 16, 32, 64, 64 ... s, each with a random -1, 0 or +1;
// REQUEST four times, then the client begins again; renewals as in RFC 2131, 4.4.5. After a NAK it
// begins again in 2 s, after a DECLINE in 10. The first OFFER is taken. The address is used at
// once; if another station claims it within 2 s of the announcement, it is declined.
// Bad input: counted and ignored; an answer that was not asked for changes nothing.
module kumi_dhcp
  import kumi_dhcp_pkg::*;
  import kumi_ip_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    input  logic                   enable,
    input  logic            [47:0] mac,
    input  logic            [23:0] tick_cycles,
    input  logic                   conflict,
           kumi_axis_if.snk        s_axis,
           kumi_rec_if.src         m_hdr,
           kumi_axis_if.src        m_axis,
    output dhcp_state_e            state,
    output dhcp_answer_t           lease,
    output logic            [31:0] age,
    output logic                   addressed,
    output logic                   announce,
    output logic                   busy,
    output dhcp_events_t           ev
);
  localparam int REQUESTS = 4;  // sent for one offer
  localparam logic [6:0] NAK_WAIT = 7'd2;  // seconds
  localparam logic [6:0] DECLINE_WAIT = 7'd10;
  localparam logic [31:0] RENEW_WAIT = 32'd60;  // the shortest between two renewals
  localparam logic [6:0] FRESH = 7'd2;  // seconds in which a conflict declines the address
  localparam logic [6:0] RELEASE_WAIT = 7'd100;  // milliseconds, for ARP to find the server

  if (m_hdr.W != UDP_HDR_W) begin : gen_check_hdr
    $fatal(0, "m_hdr is not a udp_hdr_t (%m)");
  end

  // ---- time -----------------------------------------------------------------------------------
  logic [23:0] cycle_q;
  logic [ 9:0] milli_q;
  logic milli_end_q, second_q, second2_q;
  logic [31:0] count_q;  // of cycles, for what should differ between stations and tries

  always_ff @(posedge clk) begin
    count_q <= count_q + 1'b1;
    second2_q <= second_q;
    milli_end_q <= cycle_q >= tick_cycles && !milli_end_q;
    cycle_q <= milli_end_q ? 24'd2 : cycle_q + 1'b1;
    second_q <= milli_end_q && milli_q == 10'd999;
    if (milli_end_q) milli_q <= milli_q == 10'd999 ? '0 : milli_q + 1'b1;
    if (rst) begin
      count_q     <= '0;
      cycle_q     <= 24'd2;
      milli_end_q <= 1'b0;
      milli_q     <= '0;
      second_q    <= 1'b0;
      second2_q   <= 1'b0;
    end
  end

  // ---- answers --------------------------------------------------------------------------------
  dhcp_answer_t answer, terms;
  logic answer_valid, terms_valid, ev_other, ev_bad;
  logic [31:0] xid_q;

  kumi_dhcp_rx u_rx (
      .clk,
      .rst,
      .mac,
      .xid(xid_q),
      .s_axis,
      .answer,
      .answer_valid,
      .ev_other,
      .ev_bad
  );

  kumi_dhcp_terms u_terms (
      .clk,
      .rst,
      .answer,
      .answer_valid,
      .terms,
      .terms_valid
  );

  // ---- messages -------------------------------------------------------------------------------
  dhcp_say_e say_q;
  dhcp_answer_t lease_q;
  dhcp_message_t message;
  udp_hdr_t hdr;
  logic [15:0] secs_q;
  logic send_q;  // say_q is to be said
  logic message_valid_q, message_ready, free;

  kumi_dhcp_tx u_tx (
      .clk,
      .rst,
      .mac,
      .message,
      .message_valid(message_valid_q),
      .message_ready,
      .m_axis
  );

  always_comb begin
    message = '0;
    message.xid = xid_q;
    message.secs = secs_q;
    unique case (say_q)
      SAY_DISCOVER: message.kind = DHCP_DISCOVER;
      SAY_REQUEST: begin
        message.kind   = DHCP_REQUEST;
        message.wanted = lease_q.ip;
        message.server = lease_q.server;
      end
      SAY_DECLINE: begin
        message.kind   = DHCP_DECLINE;
        message.secs   = '0;
        message.wanted = lease_q.ip;
        message.server = lease_q.server;
      end
      SAY_RELEASE: begin
        message.kind = DHCP_RELEASE;
        message.secs = '0;
        message.own = lease_q.ip;
        message.server = lease_q.server;
      end
      default: begin  // SAY_RENEW, SAY_REBIND
        message.kind = DHCP_REQUEST;
        message.own  = lease_q.ip;
      end
    endcase

    hdr = '0;
    hdr.peer_ip = say_q == SAY_RENEW || say_q == SAY_RELEASE ? lease_q.server : '1;
    hdr.peer_port = DHCP_SERVER_PORT;
    hdr.local_port = DHCP_CLIENT_PORT;
    hdr.length = 16'(DHCP_BYTES);
    hdr.cks = CKS_GENERATE;
  end

  assign m_hdr.data = hdr;
  assign free = !send_q && !message_valid_q && message_ready && !m_hdr.valid;

  always_ff @(posedge clk) begin
    if (message_ready) message_valid_q <= 1'b0;
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (send_q) begin
      message_valid_q <= 1'b1;
      m_hdr.valid <= 1'b1;
    end
    if (rst) begin
      message_valid_q <= 1'b0;
      m_hdr.valid <= 1'b0;
    end
  end

  // ---- state ----------------------------------------------------------------------------------
  dhcp_state_e state_q;
  logic [31:0] age_q, since_q;  // seconds: of the lease, since the last REQUEST
  logic [31:0] end_q, until_q;  // T2 or the end of the lease, and the seconds until then
  logic [31:0] half_q;  // the wait until the next renewal
  logic [31:0] renew_q;  // seconds until the next renewal
  logic [6:0] wait_q, backoff;  // seconds; in DHCP_RELEASING milliseconds
  logic [2:0] try_q;
  logic due_t1_q, due_t2_q, due_end_q;
  logic [1:0] announce_q;
  logic offer_q;  // an offer that waits for the message before to be sent
  logic heard_q, same_q;  // an answer; it gives the address that stands
  logic offered, acked, refused, waited, renews;
  // Bits that differ from station to station and from try to try.
  logic [31:0] dice;
  logic [ 1:0] roll;

  assign dice = count_q ^ {mac[15:0], mac[31:16]};
  assign roll = &dice[1:0] ? 2'd1 : dice[1:0];

  assign offered = (heard_q && terms.kind == DHCP_OFFER) || offer_q;
  assign acked = heard_q && terms.kind == DHCP_ACK && same_q;
  assign refused = heard_q && terms.kind == DHCP_NAK;
  assign waited = wait_q == '0 && free;
  assign renews = renew_q == '0 && free;
  // 4, 8, 16, 32, 64 with a random -1, 0 or +1.
  assign backoff = (7'd4 << try_q) - 7'd1 + {5'd0, roll};

  // The terms stay as they are while an answer is heard: the next one takes 240 bytes at least.
  always_ff @(posedge clk) begin
    heard_q     <= terms_valid && !rst;
    same_q      <= terms.ip == lease_q.ip;
    ev          <= '0;
    ev.rx_other <= ev_other || heard_q;  // unless it is waited for, below
    ev.rx_bad   <= ev_bad;
    ev.discover <= send_q && say_q == SAY_DISCOVER;
    ev.request  <= send_q && (say_q == SAY_REQUEST || say_q == SAY_RENEW || say_q == SAY_REBIND);
    ev.declined <= send_q && say_q == SAY_DECLINE;
    send_q      <= 1'b0;
    offer_q     <= 1'b0;
    announce_q  <= announce_q << 1;

    if (second_q) begin
      if (wait_q != '0 && state_q != DHCP_RELEASING) wait_q <= wait_q - 1'b1;
      if (renew_q != '0) renew_q <= renew_q - 1'b1;
      if (secs_q != '1) secs_q <= secs_q + 1'b1;
      age_q   <= age_q + 1'b1;
      since_q <= since_q + 1'b1;
    end
    if (second2_q) begin
      due_t1_q  <= age_q >= lease_q.t1;
      due_t2_q  <= age_q >= lease_q.t2;
      due_end_q <= age_q >= lease_q.lease && lease_q.lease != '1;
    end
    end_q   <= state_q == DHCP_REBINDING ? lease_q.lease : lease_q.t2;
    until_q <= end_q - age_q;
    half_q  <= until_q[31:1] < RENEW_WAIT[30:0] ? RENEW_WAIT : {1'b0, until_q[31:1]};
    if (send_q) since_q <= '0;

    unique case (state_q)
      DHCP_INIT: begin
        if (!enable) state_q <= DHCP_OFF;
        else if (waited) begin
          state_q <= DHCP_SELECTING;
          try_q   <= 3'd1;
          wait_q  <= 7'd3 + {5'd0, roll};
          secs_q  <= '0;
          xid_q   <= dice;
          say_q   <= SAY_DISCOVER;
          send_q  <= 1'b1;
        end
      end

      DHCP_SELECTING: begin
        if (!enable) state_q <= DHCP_OFF;
        else if (offered) begin
          ev.rx_other <= 1'b0;
          offer_q <= !free;
          if (free) begin
            state_q  <= DHCP_REQUESTING;
            lease_q  <= terms;
            try_q    <= 3'd1;
            wait_q   <= 7'd3 + {5'd0, roll};
            say_q    <= SAY_REQUEST;
            send_q   <= 1'b1;
            ev.offer <= 1'b1;
          end
        end else if (waited) begin
          if (try_q != 3'd4) try_q <= try_q + 1'b1;
          wait_q <= backoff;
          say_q  <= SAY_DISCOVER;
          send_q <= 1'b1;
        end
      end

      DHCP_REQUESTING: begin
        if (!enable) state_q <= DHCP_OFF;
        else if (acked) begin
          state_q <= DHCP_BOUND;
          lease_q <= terms;
          age_q <= since_q;
          {due_t1_q, due_t2_q, due_end_q} <= '0;
          wait_q <= FRESH;
          announce_q <= 2'd1;
          ev.rx_other <= 1'b0;
          ev.ack <= 1'b1;
        end else if (refused) begin
          state_q <= DHCP_INIT;
          wait_q <= NAK_WAIT;
          ev.rx_other <= 1'b0;
          ev.nak <= 1'b1;
        end else if (waited && try_q == 3'(REQUESTS)) begin
          state_q <= DHCP_INIT;
        end else if (waited) begin
          try_q  <= try_q + 1'b1;
          wait_q <= backoff;
          say_q  <= SAY_REQUEST;
          send_q <= 1'b1;
        end
      end

      DHCP_BOUND, DHCP_RENEWING, DHCP_REBINDING: begin
        if (!enable) begin
          if (free) begin
            state_q <= DHCP_RELEASING;
            wait_q  <= RELEASE_WAIT;
            say_q   <= SAY_RELEASE;
            send_q  <= 1'b1;
          end
        end else if (conflict && free && state_q == DHCP_BOUND && wait_q != '0) begin
          state_q <= DHCP_INIT;
          wait_q  <= DECLINE_WAIT;
          say_q   <= SAY_DECLINE;
          send_q  <= 1'b1;
        end else if (acked && state_q != DHCP_BOUND) begin
          state_q <= DHCP_BOUND;
          lease_q <= terms;
          age_q <= since_q;
          {due_t1_q, due_t2_q, due_end_q} <= '0;
          wait_q <= '0;
          ev.rx_other <= 1'b0;
          ev.ack <= 1'b1;
        end else if (refused && state_q != DHCP_BOUND) begin
          state_q <= DHCP_INIT;
          wait_q <= NAK_WAIT;
          ev.rx_other <= 1'b0;
          ev.nak <= 1'b1;
        end else if (due_end_q) begin
          state_q <= DHCP_INIT;
          wait_q <= '0;
          ev.expired <= 1'b1;
        end else if (free && due_t2_q && state_q != DHCP_REBINDING) begin
          state_q <= DHCP_REBINDING;
          renew_q <= RENEW_WAIT;
          say_q   <= SAY_REBIND;
          send_q  <= 1'b1;
        end else if (free && due_t1_q && state_q == DHCP_BOUND) begin
          state_q <= DHCP_RENEWING;
          renew_q <= half_q;
          secs_q  <= '0;
          xid_q   <= dice;
          say_q   <= SAY_RENEW;
          send_q  <= 1'b1;
        end else if (renews && state_q != DHCP_BOUND) begin
          renew_q <= half_q;
          send_q  <= 1'b1;  // the same again
        end
      end

      DHCP_RELEASING: begin
        if (milli_end_q && wait_q != '0) wait_q <= wait_q - 1'b1;
        if (wait_q == '0) state_q <= DHCP_OFF;
      end

      default: begin  // DHCP_OFF
        wait_q <= '0;
        if (enable) state_q <= DHCP_INIT;
      end
    endcase

    if (rst) begin
      state_q    <= DHCP_OFF;
      send_q     <= 1'b0;
      offer_q    <= 1'b0;
      announce_q <= '0;
      wait_q     <= '0;
      ev         <= '0;
    end
  end

  assign state = state_q;
  assign lease = lease_q;
  assign age = age_q;
  assign addressed = state_q == DHCP_BOUND || state_q == DHCP_RENEWING || state_q == DHCP_REBINDING
      || state_q == DHCP_RELEASING;
  assign announce = announce_q[1];
  assign busy = !free;

  logic unused;
  assign unused = until_q[0];
endmodule
