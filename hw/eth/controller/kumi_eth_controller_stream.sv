// SPDX-License-Identifier: Apache-2.0
//
// Stream form of the Ethernet controller, for kernels with many peers: a message is one frame of
// s_axis, and its tdest is the number of the peer.
//
// clk: set_peer ({number, address}, see kumi_eth_peer_table) fills the table. s_axis: messages,
//   tdest with the first beat. m_axis: one AXI frame per received Ethernet frame; tid is the number
//   of the sender, tuser[0] with tlast: bad (RX_STORE = 0), tuser[1] and tuser[2]: first and last
//   frame of its message; tuser must have 3 bits. Long messages arrive as several frames,
//   interleaved with those of other peers.
// tx_clk, rx_clk, frames on the line: see kumi_eth_controller.
// Bad input: a message to a peer that is not in the table, longer than MSG_BYTES or marked bad is
//   dropped; so is a frame from an unknown sender. Each raises its event.
// Latency: transmit, the whole message plus 4 cycles before the controller's; receive, 1 cycle more
//   than the controller. Throughput: one beat per cycle, plus 2 cycles per message sent and 1 per
//   frame received.
module kumi_eth_controller_stream
  import kumi_eth_controller_pkg::*;
#(
    parameter int PEERS     = 16,     // entries of the table, up to 256
    parameter int MSG_BYTES = 16384,  // longest message, a power of two
    parameter bit RX_STORE  = 1'b1,   // 0: cut-through
    parameter int TX_BYTES  = 16384,  // send buffer
    parameter int RX_BYTES  = 32768,  // receive buffer
    parameter int RX_FRAMES = 64      // frames in the receive buffer
) (
    input logic clk,
    input logic rst,
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_rec_if.snk  set_source_addr,
    kumi_rec_if.snk  set_peer,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,

    kumi_axis_if.src m_mac,
    kumi_axis_if.snk s_mac,

    input logic [47:0] cfg_addr,
    input logic [13:0] cfg_mtu,
    input logic        cfg_broadcast,

    output eth_controller_tx_events_t tx_ev,       // clk
    output eth_controller_rx_events_t rx_ev,       // rx_clk
    output logic                      ev_no_peer,  // clk: message for an unknown peer
    output logic                      ev_long,     // clk: message longer than MSG_BYTES
    output logic                      ev_bad,      // clk: message marked bad
    output logic                      ev_unknown   // clk: frame from an unknown sender
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int DEPTH = MSG_BYTES / (DATA_W / 8);

  if (m_axis.USER_W != 3 || s_axis.DEST_W > 8 || m_axis.ID_W > 8) begin : gen_check
    $fatal(0, "m_axis needs 3 bits of tuser, peers have 8 bits at most (%m)");
  end

  logic [7:0] number, peer;
  logic [47:0] addr;
  logic known, found;
  eth_rx_info_t info;

  kumi_eth_peer_table #(
      .PEERS(PEERS)
  ) u_peers (
      .clk,
      .rst,
      .s_peer(set_peer),
      .number,
      .addr,
      .known,
      .src(info.addr),
      .peer,
      .found
  );

  // ---- Transmit: store a message to learn its length, then send record and data -----------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) stored ();
  kumi_rec_if #(.W($clog2(MSG_BYTES) + 1)) len ();
  kumi_rec_if #(.W($bits(eth_dest_count_t))) dest ();
  kumi_axis_if #(.DATA_W(DATA_W)) data ();
  logic [$clog2(DEPTH):0] depth;
  logic ev_good, ev_full;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH),
      .DROP_FULL(1'b0),
      .DROP_BAD(1'b1),
      .LEN_DEPTH(16)
  ) u_store (
      .clk,
      .rst,
      .s_axis,
      .m_axis(stored),
      .m_len(len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize(ev_long)
  );

  typedef enum logic [1:0] {
    ST_LOOK,  // wait for a message, look up its peer
    ST_RECORD,
    ST_DATA,
    ST_SKIP  // no such peer
  } eth_controller_stream_state_e;

  eth_controller_stream_state_e state_q;
  eth_dest_count_t dest_q;
  logic ends;

  assign number = 8'(stored.tdest);
  assign len.ready = state_q == ST_LOOK && stored.tvalid;
  assign dest.valid = state_q == ST_RECORD;
  assign dest.data = dest_q;
  assign data.tvalid = state_q == ST_DATA && stored.tvalid;
  assign data.tdata = stored.tdata;
  assign data.tkeep = stored.tkeep;
  assign data.tlast = stored.tlast;
  assign data.tuser = '0;
  assign data.tid = '0;
  assign data.tdest = '0;
  assign stored.tready = (state_q == ST_DATA && data.tready) || state_q == ST_SKIP;
  assign ends = stored.tvalid && stored.tready && stored.tlast;

  always_ff @(posedge clk) begin
    unique case (state_q)
      ST_LOOK:   if (len.valid && stored.tvalid) state_q <= known ? ST_RECORD : ST_SKIP;
      ST_RECORD: if (dest.ready) state_q <= ST_DATA;
      default:   if (ends) state_q <= ST_LOOK;
    endcase
    if (state_q == ST_LOOK) dest_q <= '{addr: addr, count: 32'(len.data)};
    ev_no_peer <= state_q == ST_SKIP && ends;
    if (rst) begin
      state_q    <= ST_LOOK;
      ev_no_peer <= 1'b0;
    end
  end

  // ---- Receive: the record of a frame names its sender ------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3)
  ) got ();
  kumi_rec_if #(.W($bits(eth_rx_info_t))) got_info ();
  logic [7:0] peer_q;
  logic have_q, drop_q, got_end;

  assign info           = got_info.data;
  assign got_info.ready = !have_q;
  assign got.tready     = have_q && (drop_q || m_axis.tready);
  assign got_end        = got.tvalid && got.tready && got.tlast;
  assign m_axis.tvalid  = got.tvalid && have_q && !drop_q;
  assign m_axis.tdata   = got.tdata;
  assign m_axis.tkeep   = got.tkeep;
  assign m_axis.tlast   = got.tlast;
  assign m_axis.tuser   = got.tuser;
  assign m_axis.tid     = (m_axis.ID_W)'(peer_q);
  assign m_axis.tdest   = '0;

  always_ff @(posedge clk) begin
    if (got_info.valid && got_info.ready) begin
      have_q <= 1'b1;
      drop_q <= !found;
      peer_q <= peer;
    end else if (got_end) begin
      have_q <= 1'b0;
    end
    ev_unknown <= got_end && drop_q;
    if (rst) begin
      have_q     <= 1'b0;
      ev_unknown <= 1'b0;
    end
  end

  kumi_eth_controller #(
      .RX_STORE(RX_STORE),
      .JOIN(1'b0),
      .TX_BYTES(TX_BYTES),
      .RX_BYTES(RX_BYTES),
      .RX_FRAMES(RX_FRAMES)
  ) u_controller (
      .clk,
      .rst,
      .tx_clk,
      .tx_rst,
      .rx_clk,
      .rx_rst,
      .set_source_addr,
      .set_dest_addr_count(dest),
      .send_data(data),
      .receive_data(got),
      .receive_info(got_info),
      .m_mac,
      .s_mac,
      .cfg_addr,
      .cfg_mtu,
      .cfg_broadcast,
      .tx_ev,
      .rx_ev
  );

  logic unused;
  assign unused = ^{depth, ev_good, ev_full, info, peer_q};
endmodule
