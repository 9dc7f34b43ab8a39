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
  localparam int INDEX_W = $clog2(HEAD / B + 2);

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

  // ---- IPv6: the headers' bytes ---------------------------------------------------------------
  // h_q[n]: byte n of the frame. Its first beat waits until the record of the one before has gone.
  logic [HEAD-1:0][7:0] h_q;
  logic [INDEX_W-1:0] index_q;
  logic head_valid_q, beat, wait_head;
  ip6_head_t head;
  kumi_axis_if #(.DATA_W(DATA_W)) open ();

  assign wait_head = head_valid_q && !m_head.ready;
  assign open.tvalid = kinds[1].tvalid && !wait_head;
  assign open.tdata = kinds[1].tdata;
  assign open.tkeep = kinds[1].tkeep;
  assign open.tlast = kinds[1].tlast;
  assign open.tuser = kinds[1].tuser;
  assign open.tid = kinds[1].tid;
  assign open.tdest = kinds[1].tdest;
  assign kinds[1].tready = open.tready && !wait_head;
  assign beat = kinds[1].tvalid && kinds[1].tready;

  for (genvar n = 0; n < HEAD; n++) begin : gen_header
    always_ff @(posedge clk) begin
      if (beat && index_q == INDEX_W'(n / B)) h_q[n] <= kinds[1].tdata[8*(n%B)+:8];
    end
  end

  always_ff @(posedge clk) begin
    if (m_head.ready) head_valid_q <= 1'b0;
    if (beat) begin
      if (kinds[1].tlast) index_q <= '0;
      else if (index_q <= INDEX_W'(HEAD / B)) index_q <= index_q + 1'b1;
      // There is a byte behind the headers, or kumi_axis_strip drops the frame.
      if (index_q == INDEX_W'(HEAD / B)) head_valid_q <= !kinds[1].tlast || kinds[1].tkeep[HEAD%B];
    end
    if (rst) begin
      index_q <= '0;
      head_valid_q <= 1'b0;
    end
  end

  always_comb begin
    head.dst_mac = {h_q[0], h_q[1], h_q[2], h_q[3], h_q[4], h_q[5]};
    head.mac = {h_q[6], h_q[7], h_q[8], h_q[9], h_q[10], h_q[11]};
    head.version = h_q[14][7:4];
    head.ecn = h_q[15][5:4];
    head.length = {h_q[18], h_q[19]};
    head.next = h_q[20];
    head.hops = h_q[21];
    for (int n = 0; n < 16; n++) begin
      head.src[8*(15-n)+:8] = h_q[22+n];
      head.dst[8*(15-n)+:8] = h_q[38+n];
    end
  end

  assign m_head.valid = head_valid_q;
  assign m_head.data  = head;

  kumi_axis_strip #(
      .BYTES(HEAD)
  ) u_strip (
      .clk,
      .rst,
      .s_axis(open),
      .m_axis,
      .ev_short
  );

  logic unused;
  assign unused = &{unused_drop, h_q[12], h_q[13], h_q[14][3:0], h_q[15][7:6], h_q[15][3:0],
                    h_q[16], h_q[17]};
endmodule
