// SPDX-License-Identifier: Apache-2.0
//
// Network of a board with serial links: lanes, circuit switch, and packets on circuits.
//
//   lanes <-> kumi_stdm_board <-> local port 0 (host): CHANNELS circuits, best-effort packets
//                                 local port 1 (kernel): channel 0
//
// s_axil: windows of the switch, the links, and the circuits' counters.
// s_packet, m_packet: packets on circuits, from and to the host's channels 0 .. CHANNELS-1 and the
//   kernel (CHANNELS), see kumi_circuit_tx and _rx. A circuit cannot be told to wait: each ends in
//   a buffer, and a packet that does not fit is dropped whole and counted.
// s_be: best-effort packets of the host, tdest the board that they are for; m_be: received ones,
//   tid the board that they are from.
// m_lane_*, s_lane_*: see kumi_link_lanes; lanes from LANES on are dark.
module kumi_node_link_net
  import kumi_link_pkg::*;
  import kumi_circuit_pkg::*;
#(
    parameter int LANES = 1,  // of a link: 1, 2, 4
    parameter int LINKS = 2,  // 1..7
    parameter int CHANNELS = 4,  // circuits of the host, each way
    parameter int RX_BYTES = 65536,  // buffer of each circuit, a power of two
    localparam int W = 64 * LANES
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil[LINKS+2],

    output logic [LINKS-1:0][MAX_LANES-1:0][63:0] m_lane_data,
    output logic [LINKS-1:0][MAX_LANES-1:0][ 1:0] m_lane_head,
    input  logic [LINKS-1:0][MAX_LANES-1:0][63:0] s_lane_data,
    input  logic [LINKS-1:0][MAX_LANES-1:0][ 1:0] s_lane_head,
    output logic [LINKS-1:0][MAX_LANES-1:0]       s_lane_slip,

    kumi_axis_if.snk s_packet[CHANNELS+1],
    kumi_axis_if.src m_packet[CHANNELS+1],
    kumi_axis_if.snk s_be,
    kumi_axis_if.src m_be,
    output logic busy
);
  localparam int LOCALS = 2;
  // A packet is sent from a store, a word each TDM frame at least: a longer pause is a broken
  // line.
  localparam int CUT_CYCLES = 16 * kumi_stdm_pkg::MAX_SLOTS;

  if (LANES != 1 && LANES != 2 && LANES != 4) begin : gen_check_lanes
    $fatal(0, "LANES must be 1, 2 or 4 (%m)");
  end

  // ---- lanes that the board has --------------------------------------------------------------
  logic [LINKS-1:0][LANES-1:0][63:0] tx_data, rx_data;
  logic [LINKS-1:0][LANES-1:0][1:0] tx_head, rx_head;
  logic [LINKS-1:0][LANES-1:0] slip;

  for (genvar l = 0; l < LINKS; ++l) begin : gen_link
    for (genvar i = 0; i < MAX_LANES; ++i) begin : gen_lane
      if (i < LANES) begin : gen_used
        assign m_lane_data[l][i] = tx_data[l][i];
        assign m_lane_head[l][i] = tx_head[l][i];
        assign rx_data[l][i] = s_lane_data[l][i];
        assign rx_head[l][i] = s_lane_head[l][i];
        assign s_lane_slip[l][i] = slip[l][i];
      end else begin : gen_silent
        assign m_lane_data[l][i] = '0;
        assign m_lane_head[l][i] = '0;
        assign s_lane_slip[l][i] = 1'b0;
        logic unused;
        assign unused = ^{s_lane_data[l][i], s_lane_head[l][i]};
      end
    end
  end

  // ---- links and switch ----------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(W)) s_word[LOCALS*CHANNELS] ();
  kumi_axis_if #(.DATA_W(W)) m_word[LOCALS*CHANNELS] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(12)
  ) be_out[LOCALS] ();
  kumi_axis_if #(
      .DATA_W(W),
      .ID_W  (8),
      .DEST_W(12)
  ) be_in[LOCALS] ();
  lanes_cfg_t [LINKS-1:0] lanes_cfg;
  lanes_status_t [LINKS-1:0] lanes_status;
  lanes_events_t [LINKS-1:0] lanes_ev;
  logic [LINKS-1:0] retrain;

  kumi_stdm_board #(
      .LANES(LANES),
      .BUNDLED(1'b1),
      .P(LOCALS + LINKS),
      .LOCALS(LOCALS),
      .CHANNELS(CHANNELS)
  ) u_board (
      .clk,
      .rst,
      .s_axil(s_axil[0:0]),
      .s_word,
      .m_word,
      .s_be(be_out),
      .m_be(be_in),
      .m_lane_data(tx_data),
      .m_lane_head(tx_head),
      .s_lane_data(rx_data),
      .s_lane_head(rx_head),
      .s_lane_slip(slip),
      .lanes_cfg,
      .retrain,
      .lanes_status,
      .lanes_ev,
      .busy
  );

  for (genvar l = 0; l < LINKS; ++l) begin : gen_lanes_ctl
    kumi_lanes_ctl #(
        .LANES(LANES),
        .CC_MANUAL(1'b1)
    ) u_lanes_ctl (
        .clk,
        .rst,
        .s_axil (s_axil[1+l]),
        .cfg    (lanes_cfg[l]),
        .retrain(retrain[l]),
        .status (lanes_status[l]),
        .ev     (lanes_ev[l])
    );
  end

  // ---- packets on circuits -------------------------------------------------------------------
  // A circuit cannot be told to wait: a receiver that is late loses whole packets, counted.
  logic [CHANNELS:0] ev_sent, ev_drop, ev_full, ev_marked;
  circuit_rx_events_t [CHANNELS:0] ev_rx;

  for (genvar c = 0; c <= CHANNELS; ++c) begin : gen_circuit
    kumi_circuit_tx u_tx (
        .clk,
        .rst,
        .s_axis (s_packet[c]),
        .m_axis (s_word[c]),
        .ev_sent(ev_sent[c]),
        .ev_drop(ev_drop[c])
    );
    kumi_axis_if #(
        .DATA_W(W),
        .ID_W  (8),
        .DEST_W(8)
    ) arrived ();
    kumi_circuit_rx #(
        .TIMEOUT(CUT_CYCLES)
    ) u_rx (
        .clk,
        .rst,
        .s_axis(m_word[c]),
        .m_axis(arrived),
        .ev    (ev_rx[c])
    );
    kumi_node_buffer #(
        .BYTES(RX_BYTES),
        .DROP_FULL(1'b1)
    ) u_buffer (
        .clk,
        .rst,
        .s_axis (arrived),
        .m_axis (m_packet[c]),
        .ev_full(ev_full[c]),
        .ev_bad (ev_marked[c])
    );
  end

  kumi_circuit_ctl #(
      .CIRCUITS(CHANNELS + 1)
  ) u_circuit_ctl (
      .clk,
      .rst,
      .s_axil(s_axil[1+LINKS]),
      .ev_sent,
      .ev_drop,
      .ev_rx,
      .ev_full
  );

  // The kernel's other channels are closed: words for them count as lost at the switch.
  for (genvar c = CHANNELS + 1; c < LOCALS * CHANNELS; ++c) begin : gen_closed
    assign s_word[c].tvalid = 1'b0;
    assign s_word[c].tdata = '0;
    assign s_word[c].tkeep = '0;
    assign s_word[c].tlast = 1'b0;
    assign s_word[c].tuser = '0;
    assign s_word[c].tid = '0;
    assign s_word[c].tdest = '0;
    assign m_word[c].tready = 1'b0;
  end

  // ---- best-effort packets -------------------------------------------------------------------
  assign be_out[0].tvalid = s_be.tvalid;
  assign be_out[0].tdata = s_be.tdata;
  assign be_out[0].tkeep = s_be.tkeep;
  assign be_out[0].tlast = s_be.tlast;
  assign be_out[0].tuser = s_be.tuser;
  assign be_out[0].tid = '0;
  assign be_out[0].tdest = 12'(s_be.tdest);  // local port 0 of that board
  assign s_be.tready = be_out[0].tready;
  assign m_be.tvalid = be_in[0].tvalid;
  assign m_be.tdata = be_in[0].tdata;
  assign m_be.tkeep = be_in[0].tkeep;
  assign m_be.tlast = be_in[0].tlast;
  assign m_be.tuser = be_in[0].tuser;
  assign m_be.tid = be_in[0].tid;
  assign m_be.tdest = '0;
  assign be_in[0].tready = m_be.tready;

  // The kernel has no best-effort packets: those for it fill a buffer, then count as be_full.
  assign be_out[1].tvalid = 1'b0;
  assign be_out[1].tdata = '0;
  assign be_out[1].tkeep = '0;
  assign be_out[1].tlast = 1'b0;
  assign be_out[1].tuser = '0;
  assign be_out[1].tid = '0;
  assign be_out[1].tdest = '0;
  assign be_in[1].tready = 1'b0;

  logic unused;
  assign unused = ^ev_marked;  // bad packets are counted where they are found
endmodule
