// SPDX-License-Identifier: Apache-2.0
//
// From packets of the driver to frames on the wire: virtio_net_hdr off, segmentation, checksum,
// padding (virtio 1.2, 5.1.6.2).
//
// s_axis: packets, each with its virtio_net_hdr in front; tuser[0] with tlast: bad. csum, tso4,
//   tso6: the driver may ask for these; without csum a header is ignored.
// m_axis: frames without FCS. A packet leaves when all of it has been read, so that a bad one never
//   reaches the wire.
// Events: 0 packet accepted, 1 packet dropped: bad, no byte behind its header, longer than 64 KiB,
//   or one that kumi_nic_tso drops.
module kumi_nic_tx_path
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512  // bits of the streams: 512
) (
    input logic clk,
    input logic rst,
    input logic csum,
    input logic tso4,
    input logic tso6,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic [1:0] ev,
    output logic busy
);
  localparam int OFFLOAD_W = $bits(nic_tx_offload_t);
  localparam int SUM_W = $bits(nic_tx_sum_t);
  localparam int BEATS = 65536 * 8 / DATA_W;
  localparam logic [7:0] GSO_TCP4 = 8'd1;
  localparam logic [7:0] GSO_TCP6 = 8'd4;
  localparam logic [7:0] GSO_ECN = 8'h80;

  // ---- the header goes beside its packet -----------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(OFFLOAD_W)
  )
      packet (), bare (), whole ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(SUM_W)
  ) parts ();
  kumi_axis_if #(.DATA_W(DATA_W)) summed ();
  kumi_rec_if #(.W(17)) len ();

  nic_tx_offload_t asked, offload, held_q;
  logic first_q, ev_short, ev_good, ev_bad, ev_full, ev_oversize, ev_drop;
  logic [7:0] gso;
  logic [$clog2(BEATS):0] depth;

  assign gso = s_axis.tdata[15:8] & ~GSO_ECN;
  assign asked = '{
          sum: s_axis.tdata[0],
          gso:
          gso
          == '0 ?
          2'd0
          :
          gso
          ==
          GSO_TCP4
          &&
          tso4
          ?
          2'd1
          :
          gso
          ==
          GSO_TCP6
          &&
          tso6
          ?
          2'd2
          : 2'd3,
          gso_size: s_axis.tdata[47:32],
          start: s_axis.tdata[63:48],
          offset: s_axis.tdata[79:64]
      };
  assign offload = !csum ? '0 : first_q ? asked : held_q;
  always_ff @(posedge clk) begin
    if (s_axis.tvalid && s_axis.tready) begin
      first_q <= s_axis.tlast;
      held_q  <= offload;
    end
    if (rst) first_q <= 1'b1;
  end

  assign packet.tdata = s_axis.tdata;
  assign packet.tkeep = s_axis.tkeep;
  assign packet.tvalid = s_axis.tvalid;
  assign packet.tlast = s_axis.tlast;
  assign packet.tuser = s_axis.tuser[0];
  assign packet.tid = '0;
  assign packet.tdest = offload;
  assign s_axis.tready = packet.tready;

  kumi_axis_strip #(
      .BYTES(HEADER_BYTES)
  ) u_header (
      .clk,
      .rst,
      .s_axis(packet),
      .m_axis(bare),
      .ev_short
  );

  kumi_axis_frame_fifo #(
      .DEPTH(BEATS),
      .DROP_FULL(1'b0),
      .LEN_DEPTH(64)
  ) u_whole (
      .clk,
      .rst,
      .s_axis(bare),
      .m_axis(whole),
      .m_len (len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  // ---- offloads ------------------------------------------------------------------------------
  kumi_nic_tso #(
      .DATA_W(DATA_W)
  ) u_tso (
      .clk,
      .rst,
      .s_axis(whole),
      .s_len (len),
      .m_axis(parts),
      .ev_drop
  );

  kumi_nic_tx_csum #(
      .DATA_W(DATA_W)
  ) u_csum (
      .clk,
      .rst,
      .s_axis(parts),
      .m_axis(summed)
  );

  kumi_axis_pad u_pad (
      .clk,
      .rst,
      .s_axis(summed),
      .m_axis
  );

  always_ff @(posedge clk) ev <= rst ? '0 : {ev_bad || ev_short || ev_oversize || ev_drop, ev_good};
  assign busy = packet.tvalid || depth != '0 || parts.tvalid || summed.tvalid || m_axis.tvalid;

  logic unused;
  assign unused = ^{ev_full, s_axis.tid, s_axis.tdest};
endmodule
