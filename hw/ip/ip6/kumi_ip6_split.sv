// SPDX-License-Identifier: Apache-2.0
//
// Separates IPv6 from all other frames of a port, and takes off its headers (RFC 2464, RFC 8200).
//
// s_axis: Ethernet frames. m_other: those without EtherType 0x86DD, unchanged; an IPv4 frame with
//   the source address of a handle, or any with such a MAC address, gets the mark for bad frames:
//   nobody may pass for a peer of IPv6 (kumi_ip6_peers).
// m_head, m_axis: of IPv6 frames: ip6_head_t no later than the first beat of what follows the 54
//   bytes of headers, Ethernet's padding included. Frames without that: ev_short. With a VLAN tag
//   they are other frames.
// Latency: other frames 2 cycles, 3 at 64 bits. One beat a cycle.
module kumi_ip6_split
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat: 64, 128, 256, 512
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_other,
    kumi_rec_if.src m_head,
    kumi_axis_if.src m_axis,
    output logic ev_short,
    output logic ev_forged
);
  localparam int B = DATA_W / 8;
  localparam int HEAD = 54;
  localparam int TYPE_BEAT = 12 / B;

  // ---- which kind: a frame waits for the beat with its EtherType --------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) next ();  // the beat before that of s_axis, at 64 bits
  kumi_axis_if #(.DATA_W(DATA_W)) known ();
  kumi_axis_if #(.DATA_W(DATA_W)) kinds[2] ();
  logic go, is_ip6, unused_drop;

  kumi_axis_reg #(
      .MODE(TYPE_BEAT == 0 ? 0 : 3)
  ) u_next (
      .clk,
      .rst,
      .s_axis,
      .m_axis(next)
  );

  if (TYPE_BEAT == 0) begin : gen_wide
    assign is_ip6 = s_axis.tkeep[13]
        && s_axis.tdata[8*12+:16] == {ETHERTYPE_IP6[7:0], ETHERTYPE_IP6[15:8]};
    assign go = 1'b1;
  end else begin : gen_narrow
    logic first_q;
    assign is_ip6 = !next.tlast && s_axis.tkeep[5]
        && s_axis.tdata[32+:16] == {ETHERTYPE_IP6[7:0], ETHERTYPE_IP6[15:8]};
    assign go = !first_q || next.tlast || s_axis.tvalid;

    always_ff @(posedge clk) begin
      if (known.tvalid && known.tready) first_q <= known.tlast;
      if (rst) first_q <= 1'b1;
    end
  end

  assign known.tvalid = next.tvalid && go;
  assign known.tdata  = next.tdata;
  assign known.tkeep  = next.tkeep;
  assign known.tlast  = next.tlast;
  assign known.tuser  = next.tuser;
  assign known.tid    = next.tid;
  assign known.tdest  = next.tdest;
  assign next.tready  = known.tready && go;

  kumi_axis_demux #(
      .N(2)
  ) u_kinds (
      .clk,
      .rst,
      .select (is_ip6),
      .s_axis (known),
      .m_axis (kinds),
      .ev_drop(unused_drop)
  );

  // ---- other frames ---------------------------------------------------------------------------
  kumi_ip6_forged #(
      .DATA_W(DATA_W)
  ) u_forged (
      .clk,
      .rst,
      .s_axis(kinds[0]),
      .m_axis(m_other),
      .ev_forged
  );

  // ---- IPv6 -----------------------------------------------------------------------------------
  kumi_rec_if #(.W(8 * HEAD)) bytes ();
  logic [HEAD-1:0][7:0] h;
  ip6_head_t head;

  kumi_axis_behead u_behead (
      .clk,
      .rst,
      .s_axis(kinds[1]),
      .m_head(bytes),
      .m_axis,
      .ev_short
  );

  assign h = bytes.data;
  always_comb begin
    head.dst_mac = {h[0], h[1], h[2], h[3], h[4], h[5]};
    head.mac = {h[6], h[7], h[8], h[9], h[10], h[11]};
    head.version = h[14][7:4];
    head.ecn = h[15][5:4];
    head.length = {h[18], h[19]};
    head.next = h[20];
    head.hops = h[21];
    for (int n = 0; n < 16; n++) begin
      head.src[8*(15-n)+:8] = h[22+n];
      head.dst[8*(15-n)+:8] = h[38+n];
    end
  end

  assign m_head.data  = head;
  assign m_head.valid = bytes.valid;
  assign bytes.ready  = m_head.ready;

  logic unused;
  assign unused = &{unused_drop, h};
endmodule
