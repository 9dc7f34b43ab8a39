// SPDX-License-Identifier: Apache-2.0
//
// From packets of the driver to frames on the wire: virtio_net_hdr off, segmentation, checksum,
// padding (virtio 1.2, 5.1.6.2).
//
// s_axis: packets, each with its virtio_net_hdr in front, which is longer with long_header
//   (VIRTIO_NET_F_HASH_REPORT); tuser[0] with tlast: bad. csum, tso4,
//   tso6: the driver may ask for these; without csum a header is ignored.
// m_axis: frames without FCS, of DATA_W bits or fewer. A packet leaves when all of it has been
//   read, so that a bad one never reaches the wire.
// Events: 0 packet accepted, 1 packet dropped: bad, no byte behind its header, longer than 64 KiB,
//   or one that kumi_nic_tso drops.
module kumi_nic_tx_path
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512  // bits of the streams: 512
) (
    input logic clk,
    input logic rst,
    input logic long_header,
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
      packet (), bare (), rest (), bared (), stripped (), frames (), entering (), whole ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(SUM_W)
  ) parts ();
  kumi_axis_if #(.DATA_W(DATA_W)) summed ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(m_axis.USER_W),
      .ID_W  (m_axis.ID_W),
      .DEST_W(m_axis.DEST_W)
  ) padded ();
  kumi_rec_if #(.W(17)) len (), no_len ();
  logic len_room, len_room_q;
  logic [6:0] len_depth;

  nic_tx_offload_t asked, offload, held_q;
  logic first_q, ev_short, ev_shorter, ev_good, ev_bad, ev_full, ev_oversize, ev_drop;
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

  // What the driver leaves empty for a hash (5.1.6.2) has no place in a frame either.
  kumi_axis_strip #(
      .BYTES(HASH_BYTES)
  ) u_hash (
      .clk,
      .rst,
      .s_axis  (rest),
      .m_axis  (bared),
      .ev_short(ev_shorter)
  );
  assign rest.tdata = bare.tdata;
  assign rest.tkeep = bare.tkeep;
  assign rest.tvalid = bare.tvalid && long_header;
  assign rest.tlast = bare.tlast;
  assign rest.tuser = bare.tuser;
  assign rest.tid = bare.tid;
  assign rest.tdest = bare.tdest;
  assign bare.tready = long_header ? rest.tready : stripped.tready;
  assign bared.tready = stripped.tready;
  assign stripped.tdata = long_header ? bared.tdata : bare.tdata;
  assign stripped.tkeep = long_header ? bared.tkeep : bare.tkeep;
  assign stripped.tvalid = long_header ? bared.tvalid : bare.tvalid;
  assign stripped.tlast = long_header ? bared.tlast : bare.tlast;
  assign stripped.tuser = long_header ? bared.tuser : bare.tuser;
  assign stripped.tid = long_header ? bared.tid : bare.tid;
  assign stripped.tdest = long_header ? bared.tdest : bare.tdest;

  kumi_axis_reg u_stripped (
      .clk,
      .rst,
      .s_axis(stripped),
      .m_axis(frames)
  );
  assign entering.tdata = frames.tdata;
  assign entering.tkeep = frames.tkeep;
  assign entering.tvalid = frames.tvalid && len_room_q;
  assign entering.tlast = frames.tlast;
  assign entering.tuser = frames.tuser;
  assign entering.tid = frames.tid;
  assign entering.tdest = frames.tdest;
  assign frames.tready = entering.tready && len_room_q;
  assign no_len.ready = 1'b0;
  kumi_axis_frame_fifo #(
      .DEPTH(BEATS),
      .DROP_FULL(1'b0)
  ) u_whole (
      .clk,
      .rst,
      .s_axis(entering),
      .m_axis(whole),
      .m_len (no_len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  // Lengths of the frames that are whole: added up a cycle behind their last beats.
  logic [6:0] bytes, bytes_q;
  logic [10:0] beats_q, before_q;
  kumi_keep_to_count #(
      .KEEP_W(DATA_W / 8)
  ) u_count (
      .keep (entering.tkeep),
      .count(bytes)
  );
  always_ff @(posedge clk) begin
    bytes_q  <= bytes;
    before_q <= beats_q;
    if (entering.tvalid && entering.tready) beats_q <= entering.tlast ? '0 : beats_q + 1'b1;
    len_room_q <= len_depth < 7'd60 && !rst;
    if (rst) beats_q <= '0;
  end
  kumi_fifo #(
      .W(17),
      .DEPTH(64),
      .STYLE(0)
  ) u_len (
      .clk,
      .rst,
      .s_data ({before_q + 11'(bytes_q[6]), bytes_q[5:0]}),
      .s_valid(ev_good),
      .s_ready(len_room),
      .m_data (len.data),
      .m_valid(len.valid),
      .m_ready(len.ready),
      .depth  (len_depth)
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
      .m_axis(padded)
  );
  kumi_axis_width u_width (
      .clk,
      .rst,
      .s_axis(padded),
      .m_axis
  );

  always_ff @(posedge clk)
    ev <= rst ? '0 : {ev_bad || ev_short || ev_shorter || ev_oversize || ev_drop, ev_good};
  assign busy = packet.tvalid || stripped.tvalid || frames.tvalid || depth != '0 || parts.tvalid ||
      summed.tvalid || padded.tvalid || m_axis.tvalid;

  logic unused;
  assign unused = ^{ev_full, s_axis.tid, s_axis.tdest, len_room, no_len.data, no_len.valid};
endmodule
