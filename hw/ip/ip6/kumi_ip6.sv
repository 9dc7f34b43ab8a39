// SPDX-License-Identifier: Apache-2.0
//
// IPv6 beside IPv4 at a port (RFC 8200, 4861, 4862, 4443): between the Ethernet port and the IPv4
// stack, which, like the kernels, knows a peer of IPv6 by a handle of 32 bits.
//
//   s_eth -> split -> other frames ------------------------------------> m_stack
//                 \-> rx -> packets of handles (peers) ---------------/
//                       \-> ICMPv6 -> nd -> echo replies, notes -> tx
//   m_eth <- other frames, packets (tx), ICMPv6  <- s_stack
//
// s_eth, m_eth: Ethernet frames of the port. s_stack: of the stack; to a handle they must have the
//   MAC address {HANDLE_OUI, handle}, as those from it have. m_stack: to the stack.
// cfg: settings. own, duplicate: the node's addresses. ev: events. busy: work is in progress.
// TCP and UDP without extension headers, in untagged frames. A node answers those who speak to it:
//   a packet goes to the MAC address that the peer's newest one came from. No fragments, no path
//   MTU.
// Latency from first beat to first beat: other frames 3 cycles received (4 at 64 bits), 2 sent;
//   IPv6 33 and 24 at 64 bits, 26 and 20 at 512. One beat a cycle; an IPv6 packet in 19 cycles
//   received, 14 sent.
module kumi_ip6
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat: 64, 128, 256, 512
    parameter int PEERS      = 256,   // known at a time, a power of two, 8..65536
    parameter int ICMP_BYTES = 16384  // of ICMPv6 messages that wait, a power of two
) (
    input logic clk,
    input logic rst,
    input ip6_cfg_t cfg,
    output ip6_own_t [OWNS-1:0] own,
    output logic [OWNS-1:0] duplicate,
    output ip6_events_t ev,
    output logic busy,
    kumi_axis_if.snk s_eth,
    kumi_axis_if.src m_eth,
    kumi_axis_if.snk s_stack,
    kumi_axis_if.src m_stack
);
  // ---- received -------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) received[2] ();  // other frames, packets
  kumi_axis_if #(.DATA_W(DATA_W)) payload ();
  kumi_axis_if #(.DATA_W(DATA_W)) icmp ();
  kumi_rec_if #(.W($bits(ip6_head_t))) head ();
  kumi_rec_if #(.W($bits(icmp6_rx_t))) icmp_head ();
  logic learn_valid, learn_ready, learn_done, learn_full;
  logic [127:0] learn_address;
  logic [  1:0] learn_own;
  logic [ 47:0] learn_mac;
  logic [ 31:0] learn_handle;
  logic rx_busy, tx_busy, icmp_busy, nd_busy, second, clearing;

  kumi_ip6_split #(
      .DATA_W(DATA_W)
  ) u_split (
      .clk,
      .rst,
      .s_axis(s_eth),
      .m_other(received[0]),
      .m_head(head),
      .m_axis(payload),
      .ev_short(ev.drop_short),
      .ev_forged(ev.forged)
  );

  kumi_ip6_rx #(
      .DATA_W(DATA_W)
  ) u_rx (
      .clk,
      .rst,
      .cfg,
      .own,
      .s_head(head),
      .s_axis(payload),
      .m_axis(received[1]),
      .m_icmp_head(icmp_head),
      .m_icmp(icmp),
      .learn_valid,
      .learn_ready,
      .learn_address,
      .learn_own,
      .learn_mac,
      .learn_done,
      .learn_full,
      .learn_handle,
      .ev_packet(ev.rx_packet),
      .ev_mac(ev.drop_mac),
      .ev_source(ev.drop_source),
      .ev_address(ev.drop_address),
      .ev_next(ev.drop_next),
      .ev_peers(ev.drop_peers),
      .busy(rx_busy)
  );

  kumi_axis_mux #(
      .N(2)
  ) u_received (
      .clk,
      .rst,
      .s_axis(received),
      .m_axis(m_stack)
  );

  // ---- sent -----------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) sent[3] ();  // other frames, packets, ICMPv6
  kumi_rec_if #(.W($bits(icmp6_note_t))) notes[2] ();  // discovery, errors
  logic find_en, found;
  logic [ 31:0] find_handle;
  logic [127:0] found_address;
  logic [  1:0] found_own;
  logic [ 47:0] found_mac;

  kumi_ip6_tx #(
      .DATA_W(DATA_W)
  ) u_tx (
      .clk,
      .rst,
      .cfg,
      .own,
      .s_axis(s_stack),
      .m_other(sent[0]),
      .m_axis(sent[1]),
      .m_note(notes[1]),
      .find_en,
      .find_handle,
      .found,
      .found_address,
      .found_own,
      .found_mac,
      .ev_packet(ev.tx_packet),
      .ev_unreachable(ev.tx_unreachable),
      .ev_peer(ev.tx_drop_peer),
      .ev_proto(ev.tx_drop_proto),
      .ev_length(ev.tx_drop_length),
      .busy(tx_busy)
  );

  kumi_axis_mux #(
      .N(3)
  ) u_sent (
      .clk,
      .rst,
      .s_axis(sent),
      .m_axis(m_eth)
  );

  // ---- peers ----------------------------------------------------------------------------------
  kumi_ip6_peers #(
      .ENTRIES(PEERS)
  ) u_peers (
      .clk,
      .rst,
      .second,
      .clearing,
      .learn_valid,
      .learn_ready,
      .learn_address,
      .learn_own,
      .learn_mac,
      .learn_done,
      .learn_full,
      .learn_handle,
      .find_en,
      .find_handle,
      .found,
      .found_address,
      .found_own,
      .found_mac
  );

  // ---- ICMPv6 and the node's addresses --------------------------------------------------------
  kumi_axis_if #(.DATA_W(64)) message ();
  kumi_rec_if #(.W($bits(icmp6_rx_t))) message_head ();
  logic ev_icmp_bad, ev_nd_bad;

  kumi_ip6_icmp_rx #(
      .BYTES(ICMP_BYTES)
  ) u_icmp_rx (
      .clk,
      .rst,
      .s_head (icmp_head),
      .s_axis (icmp),
      .m_head (message_head),
      .m_axis (message),
      .ev_bad (ev_icmp_bad),
      .ev_full(ev.drop_icmp_full),
      .busy   (icmp_busy)
  );

  kumi_rec_if #(.W($bits(icmp6_note_t))) note ();
  kumi_rec_if #(.W($bits(icmp6_tx_t))) heads[2] ();
  kumi_axis_if #(.DATA_W(64)) bodies[2] ();
  logic ask_valid, ask_router, ask_taken, advertised, prefix_valid;
  logic [1:0] ask_own;
  logic [OWNS-1:0] taken;
  logic [63:0] prefix;
  logic [31:0] prefix_seconds;

  kumi_ip6_nd u_nd (
      .clk,
      .rst,
      .cfg,
      .own,
      .s_head(message_head),
      .s_axis(message),
      .m_note(notes[0]),
      .m_echo_head(heads[0]),
      .m_echo(bodies[0]),
      .ask_valid,
      .ask_router,
      .ask_own,
      .ask_taken,
      .taken,
      .advertised,
      .prefix_valid,
      .prefix,
      .prefix_seconds,
      .ev_taken(ev.rx_icmp),
      .ev_bad(ev_nd_bad),
      .ev_conflict(ev.conflict),
      .busy(nd_busy)
  );

  kumi_ip6_own u_own (
      .clk,
      .rst,
      .cfg,
      .second,
      .own,
      .duplicate,
      .ask_valid,
      .ask_router,
      .ask_own,
      .ask_taken,
      .taken,
      .advertised,
      .prefix_valid,
      .prefix,
      .prefix_seconds
  );

  // By turns: behind an error that waits, packets wait too.
  logic [1:0] note_turn;
  kumi_arbiter #(
      .N(2)
  ) u_notes (
      .clk,
      .rst,
      .req  ({notes[1].valid, notes[0].valid}),
      .done (note.ready),
      .grant(note_turn)
  );
  assign note.valid = |note_turn;
  assign note.data = note_turn[1] ? notes[1].data : notes[0].data;
  assign notes[0].ready = note.ready && note_turn[0];
  assign notes[1].ready = note.ready && note_turn[1];

  kumi_ip6_compose u_compose (
      .clk,
      .rst,
      .mac(cfg.mac),
      .s_note(note),
      .m_head(heads[1]),
      .m_axis(bodies[1])
  );

  kumi_ip6_icmp_tx u_icmp_tx (
      .clk,
      .rst,
      .mac(cfg.mac),
      .s_head(heads),
      .s_axis(bodies),
      .m_axis(sent[2]),
      .ev_sent(ev.tx_icmp)
  );

  // Two reasons may come in one cycle.
  logic owed_q;
  always_ff @(posedge clk) begin
    ev.drop_icmp <= ev_icmp_bad || ev_nd_bad || owed_q;
    owed_q <= (ev_icmp_bad && ev_nd_bad) || (owed_q && (ev_icmp_bad || ev_nd_bad));
    if (rst) begin
      ev.drop_icmp <= 1'b0;
      owed_q <= 1'b0;
    end
  end

  assign busy = clearing || rx_busy || tx_busy || icmp_busy || nd_busy || note.valid
      || bodies[0].tvalid || bodies[1].tvalid || heads[0].valid || heads[1].valid
      || received[0].tvalid || received[1].tvalid || m_stack.tvalid
      || sent[0].tvalid || sent[1].tvalid || sent[2].tvalid || m_eth.tvalid;
endmodule
