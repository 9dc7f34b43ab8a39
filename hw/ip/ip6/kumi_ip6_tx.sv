// SPDX-License-Identifier: Apache-2.0
//
// Packets to peers of IPv6: what the IPv4 stack sends to a handle leaves as IPv6 (RFC 7915, section
// 4.1), and its "port unreachable" becomes a note to write ICMPv6's.
//
// s_axis: the stack's frames. Those whose destination MAC address has HANDLE_OUI are for peers of
//   IPv6, all others go to m_other unchanged.
// m_axis: Ethernet frames with IPv6, of exactly the packet's length: hop limit is the TTL, the
//   checksum is brought in line with the other pseudo-header. Bad marks stay.
// own: our addresses. find_*: kumi_ip6_peers.
// A packet in 14 cycles, one beat a cycle; latency: see kumi_ip6. What cannot be sent is dropped
// with one event.
module kumi_ip6_tx
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input logic clk,
    input logic rst,
    input ip6_cfg_t cfg,
    input ip6_own_t [OWNS-1:0] own,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_other,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_note,
    output logic find_en,
    output logic [31:0] find_handle,
    input logic found,
    input logic [127:0] found_address,
    input logic [1:0] found_own,
    input logic [47:0] found_mac,
    output logic ev_packet,
    output logic ev_unreachable,
    output logic ev_peer,
    output logic ev_proto,
    output logic ev_length,
    output logic busy
);
  localparam int HEAD = 34;

  typedef struct packed {
    logic         send;
    logic         unreachable;  // it is about a datagram to a closed port
    logic         udp;
    logic [1:0]   ecn;
    logic [15:0]  length;       // payload bytes
    logic [7:0]   hops;
    logic [15:0]  delta;
    logic [47:0]  mac;
    logic [127:0] src;
    logic [127:0] dst;
  } ip6_tx_verdict_t;

  // ---- which kind -----------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) kinds[2] ();
  logic unused_drop;

  kumi_axis_demux #(
      .N(2)
  ) u_kinds (
      .clk,
      .rst,
      .select (s_axis.tdata[15:0] == {HANDLE_OUI[7:0], HANDLE_OUI[15:8]}),
      .s_axis,
      .m_axis (kinds),
      .ev_drop(unused_drop)
  );

  kumi_axis_reg #(
      .MODE(0)
  ) u_other (
      .clk,
      .rst,
      .s_axis(kinds[0]),
      .m_axis(m_other)
  );

  kumi_axis_if #(.DATA_W(DATA_W)) mine ();
  kumi_axis_reg #(
      .MODE(3)
  ) u_mine (
      .clk,
      .rst,
      .s_axis(kinds[1]),
      .m_axis(mine)
  );

  // ---- the headers, and the packet without them -----------------------------------------------
  kumi_rec_if #(.W(8 * HEAD)) bytes ();
  kumi_rec_if #(.W(16)) keep ();
  kumi_axis_if #(.DATA_W(DATA_W)) stripped ();
  kumi_axis_if #(.DATA_W(DATA_W)) trimmed ();
  kumi_axis_if #(.DATA_W(DATA_W)) body ();
  logic [HEAD-1:0][7:0] h;
  logic [15:0] total, length;
  logic unused_short;  // the stack's frames are 60 bytes and more

  kumi_axis_behead u_behead (
      .clk,
      .rst,
      .s_axis  (mine),
      .m_head  (bytes),
      .m_axis  (stripped),
      .ev_short(unused_short)
  );

  assign h = bytes.data;
  assign total = {h[16], h[17]};
  assign length = total - 16'd20;
  assign keep.data = length;

  // Without Ethernet's padding.
  logic unused_trim;
  kumi_axis_trim u_trim (
      .clk,
      .rst,
      .s_len(keep),
      .s_axis(stripped),
      .m_axis(trimmed),
      .ev_short(unused_trim)
  );

  logic [5:0] unused_beats;
  kumi_axis_fifo #(
      .DEPTH(32)
  ) u_body (
      .clk,
      .rst,
      .s_axis(trimmed),
      .m_axis(body),
      .depth (unused_beats)
  );

  // ---- verdict --------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    IDLE,
    FIND,
    FOUND,
    CHECK,
    SUM,
    TELL
  } state_e;

  state_e state_q;
  logic [7:0] proto_q;
  logic [63:0] four_q;  // IPv4's addresses
  logic [15:0] total_q, six, delta;
  logic tell, verdict_ready, verdict_valid, verdict_move;
  logic sum_go_q, six_valid, delta_valid;
  logic error_q;  // "port unreachable": no other ICMP of the stack for a handle has its length
  ip6_tx_verdict_t verdict_q, verdict;

  assign keep.valid = state_q == IDLE && bytes.valid;
  assign bytes.ready = state_q == IDLE && keep.ready;
  assign find_en = state_q == FIND;
  assign find_handle = four_q[31:0];

  // Of IPv6's addresses, then with IPv4's; numbers have their last byte where a frame has its
  // first, which a one's complement sum shows by its own two bytes (RFC 1071, section 2B).
  kumi_checksum #(
      .DATA_W(256)
  ) u_six (
      .clk,
      .rst,
      .in_valid (sum_go_q),
      .in_last  (1'b1),
      .in_data  ({verdict_q.src, verdict_q.dst}),
      .in_keep  ('1),
      .in_seed  ('0),
      .out_valid(six_valid),
      .out_sum  (six)
  );

  kumi_checksum #(
      .DATA_W(64)
  ) u_delta (
      .clk,
      .rst,
      .in_valid (six_valid),
      .in_last  (1'b1),
      .in_data  (four_q),
      .in_keep  ('1),
      .in_seed  (~six),
      .out_valid(delta_valid),
      .out_sum  (delta)
  );

  always_ff @(posedge clk) begin
    {ev_packet, ev_unreachable, ev_peer, ev_proto, ev_length} <= '0;
    sum_go_q <= 1'b0;

    unique case (state_q)
      IDLE: begin
        if (bytes.valid && bytes.ready) begin
          verdict_q <= '0;
          verdict_q.ecn <= h[15][1:0];
          verdict_q.length <= length;
          verdict_q.hops <= h[22];
          verdict_q.udp <= h[23] == NEXT_UDP;
          error_q <= h[23] == IP4_ICMP && total == 16'(20 + UNREACHABLE_BYTES);
          proto_q <= h[23];
          total_q <= total + 16'd20;  // of the packet that leaves
          four_q <= {h[26], h[27], h[28], h[29], h[30], h[31], h[32], h[33]};
          // The trimmer drops a frame without anything in it.
          ev_proto <= length == '0;
          if (length != '0) state_q <= FIND;
        end
      end

      FIND:  state_q <= FOUND;
      FOUND: state_q <= CHECK;

      CHECK: begin
        verdict_q.mac <= found_mac;
        verdict_q.dst <= found_address;
        verdict_q.src <= own[found_own].address;
        state_q <= TELL;
        if (proto_q != NEXT_UDP && proto_q != NEXT_TCP && !error_q) ev_proto <= 1'b1;
        else if (!found || !own[found_own].valid || !cfg.enable) ev_peer <= 1'b1;
        else if (total_q > cfg.mtu) ev_length <= 1'b1;
        else begin
          verdict_q.send <= !error_q;
          verdict_q.unreachable <= error_q;
          ev_packet <= !error_q;
          ev_unreachable <= error_q;
          sum_go_q <= 1'b1;
          state_q <= SUM;
        end
      end

      SUM: begin
        if (delta_valid) begin
          verdict_q.delta <= {delta[7:0], delta[15:8]};
          state_q <= TELL;
        end
      end

      TELL: if (verdict_ready) state_q <= IDLE;

      default: state_q <= IDLE;
    endcase
    if (rst) begin
      state_q  <= IDLE;
      sum_go_q <= 1'b0;
    end
  end

  assign tell = state_q == TELL;

  logic [2:0] unused_verdicts;
  kumi_fifo #(
      .W($bits(ip6_tx_verdict_t)),
      .DEPTH(4)
  ) u_verdicts (
      .clk,
      .rst,
      .s_data (verdict_q),
      .s_valid(tell),
      .s_ready(verdict_ready),
      .m_data (verdict),
      .m_valid(verdict_valid),
      .m_ready(verdict_move),
      .depth  (unused_verdicts)
  );

  // ---- the frames -----------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) patched ();
  logic go, gone, note_ready, unused_none;

  assign go = body.tvalid && verdict_valid;
  assign body.tready = verdict_valid &&
      (verdict.send ? patched.tready : verdict.unreachable ? note_ready : 1'b1);
  assign gone = go && body.tready;
  assign verdict_move = gone && body.tlast;

  kumi_ip6_patch #(
      .DATA_W(DATA_W)
  ) u_patch (
      .clk,
      .rst,
      .take(gone),
      .last(body.tlast),
      .udp(verdict.udp),
      .delta(verdict.delta),
      .in_data(body.tdata),
      .out_data(patched.tdata),
      .no_checksum(unused_none)
  );

  assign patched.tvalid = go && verdict.send;
  assign patched.tkeep  = body.tkeep;
  assign patched.tlast  = body.tlast;
  assign patched.tuser  = body.tuser;
  assign patched.tid    = '0;
  assign patched.tdest  = '0;

  kumi_ip6_unreachable #(
      .DATA_W(DATA_W)
  ) u_unreachable (
      .clk,
      .rst,
      .ready(note_ready),
      .take(gone && verdict.unreachable),
      .last(body.tlast),
      .bad(body.tuser[0]),
      .data(body.tdata),
      .peer_mac(verdict.mac),
      .peer(verdict.dst),
      .own(verdict.src),
      .delta(verdict.delta),
      .m_note
  );

  // Headers in the order of the wire: Ethernet, IPv6.
  logic [53:0][7:0] frame;
  logic [431:0] wire_order;
  assign wire_order = {
    verdict.mac,
    cfg.mac,
    ETHERTYPE_IP6,
    4'd6,
    6'b0,
    verdict.ecn,
    20'b0,
    verdict.length,
    verdict.udp ? NEXT_UDP : NEXT_TCP,
    verdict.hops,
    verdict.src,
    verdict.dst
  };
  for (genvar n = 0; n < 54; n++) begin : gen_frame
    assign frame[n] = wire_order[8*(53-n)+:8];
  end

  kumi_axis_prepend #(
      .BYTES(54)
  ) u_headers (
      .clk,
      .rst,
      .head  (frame),
      .s_axis(patched),
      .m_axis
  );

  assign busy = kinds[1].tvalid || mine.tvalid || bytes.valid || state_q != IDLE || verdict_valid
      || body.tvalid || !note_ready;

  logic unused;
  assign unused = &{unused_drop, unused_short, unused_beats, unused_verdicts, unused_none, h,
                    unused_trim, own, cfg};
endmodule
