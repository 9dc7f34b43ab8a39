// SPDX-License-Identifier: Apache-2.0
//
// A card's frames on several packet channels: VLAN c (IEEE 802.1Q) is channel c, and untagged
// frames are channel 0.
//
// s_card: frames that the host sends; one with a tag goes to the channel of its VLAN, with the tag.
//   A frame for a channel that is not there goes to channel 0 marked bad, whose end drops and
//   counts it.
// m_packet, s_packet: the channels, of any width. m_card: what comes on them, in turn; the tag of a
//   frame gets the number of the channel that it came on, so both ends of a circuit may call it by
//   their own. A frame without a tag stays without one.
// s_packet is not held back for longer than the others' frames take at m_card's width.
// Latency: 1 cycle and a kumi_axis_width each way, on the way in one more for the choice.
module kumi_nic_channels #(
    parameter int CHANNELS = 4  // 1..8
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_card,
    kumi_axis_if.src m_card,
    kumi_axis_if.snk s_packet[CHANNELS],
    kumi_axis_if.src m_packet[CHANNELS]
);
  localparam int W = s_card.DATA_W;
  localparam int CHOICE_W = CHANNELS > 1 ? $clog2(CHANNELS) : 1;
  localparam logic [15:0] TAGGED = 16'h8100;

  if (W < 128 || m_card.DATA_W != W) begin : gen_check_width
    $fatal(
        0, "s_card and m_card need the same width of at least 128 bits: tags are in one beat (%m)"
    );
  end
  if (CHANNELS < 1 || CHANNELS > 8) begin : gen_check_channels
    $fatal(0, "CHANNELS must be 1..8 (%m)");
  end

  function automatic logic has_tag(input logic [15:0] kind);
    return {kind[7:0], kind[15:8]} == TAGGED;
  endfunction

  // ---- to the channels -----------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(W)) marked (), parted[CHANNELS] ();
  logic out_first_q, lost, lost_q, dropped;
  logic [11:0] vlan;
  logic [CHOICE_W-1:0] choice;

  assign vlan   = {s_card.tdata[8*14+:4], s_card.tdata[8*15+:8]};
  assign lost   = out_first_q ? has_tag(s_card.tdata[8*12+:16]) && 32'(vlan) >= CHANNELS : lost_q;
  assign choice = has_tag(s_card.tdata[8*12+:16]) && !lost ? CHOICE_W'(vlan) : '0;
  always_ff @(posedge clk) begin
    if (s_card.tvalid && s_card.tready) begin
      out_first_q <= s_card.tlast;
      lost_q <= lost;
    end
    if (rst) out_first_q <= 1'b1;
  end

  assign marked.tdata = s_card.tdata;
  assign marked.tkeep = s_card.tkeep;
  assign marked.tvalid = s_card.tvalid;
  assign marked.tlast = s_card.tlast;
  assign marked.tuser = s_card.tuser[0] || lost;
  assign marked.tid = '0;
  assign marked.tdest = '0;
  assign s_card.tready = marked.tready;

  kumi_axis_demux #(
      .N(CHANNELS),
      .SELECT_W(CHOICE_W)
  ) u_part (
      .clk,
      .rst,
      .select (choice),
      .s_axis (marked),
      .m_axis (parted),
      .ev_drop(dropped)
  );

  // ---- from the channels ---------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(W)) renamed[CHANNELS] (), merged ();

  for (genvar c = 0; c < CHANNELS; ++c) begin : gen_channel
    localparam int ID_W = m_packet[c].ID_W;
    localparam int DEST_W = m_packet[c].DEST_W;
    kumi_axis_if #(
        .DATA_W(W),
        .ID_W  (ID_W),
        .DEST_W(DEST_W)
    )
        leaving (), whole ();
    logic first_q;

    assign leaving.tdata = parted[c].tdata;
    assign leaving.tkeep = parted[c].tkeep;
    assign leaving.tvalid = parted[c].tvalid;
    assign leaving.tlast = parted[c].tlast;
    assign leaving.tuser = parted[c].tuser;
    assign leaving.tid = '0;
    assign leaving.tdest = '0;
    assign parted[c].tready = leaving.tready;
    kumi_axis_width u_out (
        .clk,
        .rst,
        .s_axis(leaving),
        .m_axis(m_packet[c])
    );

    kumi_axis_width u_in (
        .clk,
        .rst,
        .s_axis(s_packet[c]),
        .m_axis(whole)
    );
    always_ff @(posedge clk) begin
      if (whole.tvalid && whole.tready) first_q <= whole.tlast;
      if (rst) first_q <= 1'b1;
    end
    always_comb begin
      renamed[c].tdata = whole.tdata;
      if (first_q && has_tag(whole.tdata[8*12+:16])) begin
        renamed[c].tdata[8*14+:4] = 4'd0;
        renamed[c].tdata[8*15+:8] = 8'(c);
      end
    end
    assign renamed[c].tkeep = whole.tkeep;
    assign renamed[c].tvalid = whole.tvalid;
    assign renamed[c].tlast = whole.tlast;
    assign renamed[c].tuser = whole.tuser;
    assign renamed[c].tid = '0;
    assign renamed[c].tdest = '0;
    assign whole.tready = renamed[c].tready;

    logic unused;
    assign unused = ^{whole.tid, whole.tdest};
  end

  kumi_axis_mux #(
      .N(CHANNELS)
  ) u_merge (
      .clk,
      .rst,
      .s_axis(renamed),
      .m_axis(merged)
  );
  assign m_card.tdata = merged.tdata;
  assign m_card.tkeep = merged.tkeep;
  assign m_card.tvalid = merged.tvalid;
  assign m_card.tlast = merged.tlast;
  assign m_card.tuser = merged.tuser;
  assign m_card.tid = '0;
  assign m_card.tdest = '0;
  assign merged.tready = m_card.tready;

  logic unused;
  assign unused = ^{dropped, merged.tid, merged.tdest, s_card.tid, s_card.tdest};
endmodule
