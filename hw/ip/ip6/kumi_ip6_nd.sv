// SPDX-License-Identifier: Apache-2.0
//
// Neighbour and router discovery (RFC 4861, RFC 4862) and echo (RFC 4443): what an ICMPv6 message
// asks for.
//
// s_head, s_axis: messages with a right checksum, 64 bits.
// m_note: an advertisement or solicitation to be written (kumi_ip6_compose).
// m_echo_head, m_echo: the reply to an echo request.
// ask_*, taken, advertised, prefix_*: kumi_ip6_own. own, duplicate: the addresses.
// ev_bad: a message without meaning for this node, or not as RFC 4861 demands. One event a message.
module kumi_ip6_nd
  import kumi_ip6_pkg::*;
(
    input logic clk,
    input logic rst,
    input ip6_cfg_t cfg,
    input ip6_own_t [OWNS-1:0] own,
    kumi_rec_if.snk s_head,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_note,
    kumi_rec_if.src m_echo_head,
    kumi_axis_if.src m_echo,
    input logic ask_valid,
    input logic ask_router,
    input logic [1:0] ask_own,
    output logic ask_taken,
    output logic [OWNS-1:0] taken,
    output logic advertised,
    output logic prefix_valid,
    output logic [63:0] prefix,
    output logic [31:0] prefix_seconds,
    output logic ev_taken,
    output logic ev_bad,
    output logic ev_conflict,
    output logic busy
);
  localparam logic [7:0] ECHO_REQUEST = 8'd128, ECHO_REPLY = 8'd129;
  localparam logic [7:0] ROUTER_ADVERTISEMENT = 8'd134;
  localparam logic [7:0] NEIGHBOUR_SOLICITATION = 8'd135, NEIGHBOUR_ADVERTISEMENT = 8'd136;
  localparam logic [7:0] OPTION_SOURCE = 8'd1, OPTION_PREFIX = 8'd3;
  localparam logic [47:0] ALL_NODES_MAC = 48'h3333_0000_0001;
  localparam logic [47:0] ALL_ROUTERS_MAC = 48'h3333_0000_0002;

  typedef enum logic [3:0] {
    IDLE,
    LOAD,
    KIND,
    ECHO_HEAD,
    ECHO,
    TARGET_HIGH,
    TARGET_LOW,
    ROUTER,
    OPTION,
    OPTION_REST,
    DRAIN,
    COMPARE,
    JUDGE,
    ADVERTISED,
    NOTE
  } state_e;

  state_e state_q;
  icmp6_rx_t h_q, offered;
  logic [ 63:0] word;
  logic [127:0] target_q;
  logic [OWNS-1:0] is_own_q, used_q;
  logic solicits_q, solicited_q, formed_q, routes_q, first_q;
  logic from_none_q, group_q, solicited_group_q;
  logic [ 7:0] option_left_q;  // words of the option that follow
  logic [ 2:0] option_at_q;
  logic [31:0] option_seconds_q;
  logic option_usable_q, has_prefix_q, has_source_q;
  icmp6_note_t note_q;
  logic [7:0] kind, code, kind_q, code_q;
  logic beat, prefix_used, whole, echo_q, ask_q;

  assign offered = icmp6_rx_t'(s_head.data);

  // Bytes in the order of the wire, the first on the left.
  for (genvar b = 0; b < 8; b++) begin : gen_word
    assign word[8*(7-b)+:8] = s_axis.tdata[8*b+:8];
  end

  assign s_head.ready = state_q == IDLE && !ask_q;
  assign s_axis.tready = state_q == ECHO ? m_echo.tready
      : state_q inside {TARGET_HIGH, TARGET_LOW, ROUTER, OPTION, OPTION_REST, DRAIN}
      || (state_q == KIND && !echo_q);
  assign beat = s_axis.tvalid && s_axis.tready;
  assign ask_taken = state_q == IDLE && ask_q && ask_valid;

  assign {kind, code} = word[63:48];
  assign whole = s_axis.tkeep == '1;
  assign prefix_used = word == own[OWN_AUTO].address[127:64];

  always_ff @(posedge clk) begin
    {ev_taken, ev_bad, ev_conflict, advertised, prefix_valid} <= '0;
    taken <= '0;
    ask_q <= ask_valid;

    unique case (state_q)
      IDLE: begin
        note_q <= '0;
        if (ask_taken) begin
          note_q.kind <= ask_router ? NOTE_FIND_ROUTER : NOTE_PROBE;
          note_q.target <= own[ask_own].address;
          note_q.src <= ask_router ? own[OWN_LINK].address : '0;
          note_q.dst <= ask_router ? ALL_ROUTERS : {SOLICITED_NET, own[ask_own].address[23:0]};
          note_q.mac <= ask_router ? ALL_ROUTERS_MAC
              : {16'h3333, SOLICITED_NET[7:0], own[ask_own].address[23:0]};  // RFC 2464, section 7
          state_q <= NOTE;
        end else if (s_head.valid && s_head.ready) begin
          h_q <= offered;
          state_q <= LOAD;
        end
        first_q <= 1'b1;
        {has_prefix_q, has_source_q} <= '0;
        group_q <= offered.dst[127:120] == '1;
        solicited_group_q <= offered.dst[127:24] == SOLICITED_NET;
        from_none_q <= offered.src == '0;
      end

      LOAD: begin
        kind_q <= kind;
        code_q <= code;
        solicited_q <= word[30];  // of an advertisement
        // An echo request stays for the reply.
        echo_q <= kind == ECHO_REQUEST && code == '0 && whole && cfg.ping && !group_q
            && !from_none_q;
        if (s_axis.tvalid) state_q <= KIND;
      end

      KIND: begin
        solicits_q <= kind_q == NEIGHBOUR_SOLICITATION;
        routes_q   <= kind_q == ROUTER_ADVERTISEMENT;
        if (echo_q) state_q <= ECHO_HEAD;
        else if (s_axis.tlast || h_q.hops != 8'd255 || code_q != '0) begin
          ev_bad  <= 1'b1;
          state_q <= s_axis.tlast ? IDLE : DRAIN;
        end else if (kind_q inside {NEIGHBOUR_SOLICITATION, NEIGHBOUR_ADVERTISEMENT}) begin
          state_q <= TARGET_HIGH;
        end else if (kind_q == ROUTER_ADVERTISEMENT
            && h_q.src[127:118] == LINK_LOCAL_NET[63:54]) begin
          state_q <= ROUTER;
        end else begin
          ev_bad  <= 1'b1;
          state_q <= DRAIN;
        end
      end

      // ---- echo: the same message with another type
      ECHO_HEAD: if (m_echo_head.ready) state_q <= ECHO;
      ECHO: begin
        if (beat) begin
          first_q <= 1'b0;
          if (s_axis.tlast) begin
            ev_taken <= 1'b1;
            state_q  <= IDLE;
          end
        end
      end

      // ---- discovery: a target, or lifetimes; then options
      TARGET_HIGH: begin
        if (beat) begin
          target_q[127:64] <= word;
          state_q <= s_axis.tlast ? IDLE : TARGET_LOW;
          ev_bad <= s_axis.tlast;
        end
      end
      TARGET_LOW, ROUTER: begin
        if (beat) begin
          target_q[63:0] <= word;
          state_q <= !s_axis.tlast ? OPTION : !whole ? IDLE : routes_q ? ADVERTISED : COMPARE;
          ev_bad <= s_axis.tlast && !whole;
        end
      end
      OPTION: begin
        if (beat) begin
          // type, length in words, bits of the prefix, flags (bit 6: autoconfiguration), lifetime
          option_left_q <= word[55:48] - 1'b1;
          option_at_q <= '0;
          option_usable_q <= word[63:40] == {OPTION_PREFIX, 8'd4, 8'd64} && word[38];
          option_seconds_q <= word[31:0];
          if (word[63:56] == OPTION_SOURCE) has_source_q <= 1'b1;
          if (s_axis.tlast && word[55:48] == 8'd1 && whole) begin
            state_q <= routes_q ? ADVERTISED : COMPARE;
          end else if (s_axis.tlast || word[55:48] == '0) begin
            ev_bad  <= 1'b1;
            state_q <= s_axis.tlast ? IDLE : DRAIN;
          end else if (word[55:48] != 8'd1) state_q <= OPTION_REST;
        end
      end
      OPTION_REST: begin
        if (beat) begin
          option_left_q <= option_left_q - 1'b1;
          option_at_q   <= option_at_q + 3'(option_at_q != '1);
          // Preferred for longer than valid: ignored (RFC 4862, section 5.5.3).
          if (option_at_q == '0 && word[63:32] > option_seconds_q) option_usable_q <= 1'b0;
          if (option_at_q == 3'd1 && option_usable_q && (!has_prefix_q || prefix_used)
              // Neither of a link nor of a group.
              && word[63:54] != LINK_LOCAL_NET[63:54] && word[63:56] != '1) begin
            prefix <= word;
            prefix_seconds <= option_seconds_q;
            has_prefix_q <= 1'b1;
          end
          if (s_axis.tlast && (option_left_q != 8'd1 || !whole)) begin
            ev_bad  <= 1'b1;
            state_q <= IDLE;
          end else if (s_axis.tlast) state_q <= routes_q ? ADVERTISED : COMPARE;
          else if (option_left_q == 8'd1) state_q <= OPTION;
        end
      end
      DRAIN: if (beat && s_axis.tlast) state_q <= IDLE;

      // ---- neighbours
      COMPARE: begin
        for (int i = 0; i < OWNS; i++) begin
          is_own_q[i] <= own[i].address != '0 && target_q == own[i].address;
          used_q[i]   <= own[i].valid;
        end
        // RFC 4861, sections 7.1.1 and 7.1.2.
        formed_q <= solicits_q ? !from_none_q || (solicited_group_q && !has_source_q)
            : !(group_q && solicited_q);
        state_q <= JUDGE;
      end
      JUDGE: begin
        note_q.kind <= NOTE_ADVERTISE;
        note_q.target <= target_q;
        note_q.src <= target_q;
        note_q.solicited <= !from_none_q;
        note_q.dst <= from_none_q ? ALL_NODES : h_q.src;
        note_q.mac <= from_none_q ? ALL_NODES_MAC : h_q.mac;
        state_q <= IDLE;
        if (!formed_q || is_own_q == '0) ev_bad <= 1'b1;
        else begin
          ev_taken <= 1'b1;
          if (solicits_q && (is_own_q & used_q) != '0) state_q <= NOTE;
          else if (!solicits_q || from_none_q) begin
            // Somebody answers for the address, or probes it as we do (RFC 4862, section 5.4).
            taken <= is_own_q;
            ev_conflict <= 1'b1;
          end
        end
      end

      // ---- routers: a prefix is taken only of a message without a fault
      ADVERTISED: begin
        advertised <= 1'b1;
        prefix_valid <= has_prefix_q;
        ev_taken <= 1'b1;
        state_q <= IDLE;
      end

      NOTE: if (m_note.ready) state_q <= IDLE;

      default: state_q <= IDLE;
    endcase
    if (rst) begin
      state_q <= IDLE;
      {ev_taken, ev_bad, ev_conflict, advertised, prefix_valid} <= '0;
      taken <= '0;
    end
  end

  assign m_note.valid = state_q == NOTE;
  assign m_note.data  = note_q;

  // ---- the reply ------------------------------------------------------------------------------
  // The addresses change places, which the checksum does not notice; the type grows by one (RFC
  // 1624, equation 3).
  logic [16:0] more;
  logic [15:0] checksum;
  assign more = {1'b0, ~word[47:32]} + 17'h00100;
  assign checksum = ~(more[15:0] + 16'(more[16]));

  icmp6_tx_t reply;
  assign reply = '{mac: h_q.mac, src: h_q.dst, dst: h_q.src, length: h_q.length};
  assign m_echo_head.valid = state_q == ECHO_HEAD;
  assign m_echo_head.data = reply;

  assign m_echo.tvalid = state_q == ECHO && s_axis.tvalid;
  always_comb begin
    m_echo.tdata = s_axis.tdata;
    if (first_q) m_echo.tdata[31:0] = {checksum[7:0], checksum[15:8], 8'd0, ECHO_REPLY};
  end
  assign m_echo.tkeep = s_axis.tkeep;
  assign m_echo.tlast = s_axis.tlast;
  assign m_echo.tuser = s_axis.tuser;
  assign m_echo.tid = '0;
  assign m_echo.tdest = '0;

  assign busy = state_q != IDLE || ask_valid;

  logic unused;
  assign unused = &{cfg, h_q.seed};
endmodule
