// SPDX-License-Identifier: Apache-2.0
//
// Ethernet shim: connects kumi_ip_stack to a line that carries IPv4 packets without link layer (a
//   circuit, a tunnel): adds an Ethernet header to received packets and removes it from those sent.
//
// s_packet, m_packet: IPv4 packets, tuser[0] with tlast: bad. m_eth, s_eth: to and from the stack.
// mac: the stack's address. All packets appear to come from one neighbour, so the stack can answer;
//   it cannot resolve addresses: its ARP frames are dropped and counted by ev_other.
// Latency: 2 cycles per direction at 64 bits, else 1 to 2; one beat per cycle.
// Bad input: forwarded unchanged, the stack checks it. Padding of short frames remains after the
//   packet (IPv4 has its own length).
module kumi_ip_eth_shim (
    input logic clk,
    input logic rst,
    input logic [47:0] mac,  // first byte on the wire in [47:40]
    kumi_axis_if.snk s_packet,
    kumi_axis_if.src m_packet,
    kumi_axis_if.src m_eth,
    kumi_axis_if.snk s_eth,
    output logic ev_other  // a frame of the stack that is not IPv4 was dropped
);
  localparam int ETH_HEADER = 14;  // bytes
  localparam logic [47:0] NEIGHBOUR = 48'h02_00_00_00_00_01;
  localparam logic [15:0] IPV4 = 16'h0800;

  function automatic logic [111:0] memory_order(input logic [111:0] wire_order);
    for (int i = 0; i < ETH_HEADER; ++i) begin
      memory_order[8*i+:8] = wire_order[8*(ETH_HEADER-1-i)+:8];
    end
  endfunction

  kumi_axis_prepend #(
      .BYTES(ETH_HEADER)
  ) u_prepend (
      .clk,
      .rst,
      .head  (memory_order({mac, NEIGHBOUR, IPV4})),
      .s_axis(s_packet),
      .m_axis(m_eth)
  );

  kumi_axis_if #(
      .DATA_W(s_eth.DATA_W),
      .USER_W(s_eth.USER_W),
      .ID_W  (s_eth.ID_W),
      .DEST_W(s_eth.DEST_W)
  ) bare ();
  logic never_short;

  kumi_axis_strip #(
      .BYTES(ETH_HEADER)
  ) u_strip (
      .clk,
      .rst,
      .s_axis  (s_eth),
      .m_axis  (bare),
      .ev_short(never_short)
  );

  // The first byte holds the version; ARP starts with a zero.
  logic within_q, drop_q, drop;
  assign drop = within_q ? drop_q : bare.tdata[7:4] != 4'd4;

  always_ff @(posedge clk) begin
    if (bare.tvalid && bare.tready) begin
      within_q <= !bare.tlast;
      drop_q   <= drop;
    end
    if (rst) within_q <= 1'b0;
  end

  assign ev_other = bare.tvalid && !within_q && drop && bare.tready;
  assign bare.tready = drop || m_packet.tready;
  assign m_packet.tvalid = bare.tvalid && !drop;
  assign m_packet.tdata = bare.tdata;
  assign m_packet.tkeep = bare.tkeep;
  assign m_packet.tlast = bare.tlast;
  assign m_packet.tuser = bare.tuser;
  assign m_packet.tid = bare.tid;
  assign m_packet.tdest = bare.tdest;

  // Every frame of the stack has an Ethernet header and a payload.
  logic unused;
  assign unused = never_short;
endmodule
