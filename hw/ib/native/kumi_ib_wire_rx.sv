// SPDX-License-Identifier: Apache-2.0
//
// Native InfiniBand receive: packets of kumi_ib_link to records of the transport engine (IBTA
// volume 1, clauses 7.7, 7.8.1, 8.3 and 9.2).
//
// s_axis: packets from the LRH to the ICRC, whole ones of the right length. lid, lmc: of the port.
// m_pkt, m_axis: rc_pkt_t and payload (kumi_rc_pkg), headers, padding and ICRC removed. path: LID
//   and service level of the sender. A GRH is skipped; what is in it is not looked at.
// ev_*: each packet raises one; ev.drop_port: for another LID, or no BTH behind the LRH.
// BYTES: buffer in which a packet waits until its ICRC was found right, and while the engine is
//   busy; a sender waits when it is full, for the link's credits.
// Latency: that of the packet, and 9 cycles; one beat a cycle.
module kumi_ib_wire_rx
  import kumi_rc_pkg::*;
  import kumi_ib_pkg::*;
#(
    parameter int BYTES = 16384  // a power of two, 8192 or more
) (
    input  logic                                  clk,
    input  logic                                  rst,
    input  logic                           [15:0] lid,
    input  logic                           [ 2:0] lmc,
           kumi_axis_if.snk                       s_axis,
           kumi_rec_if.src                        m_pkt,
           kumi_axis_if.src                       m_axis,
    output kumi_roce_pkg::roce_rx_events_t        ev,
    output logic                                  busy
);
  localparam int DATA_W = 64;
  localparam logic [2:0] GRH_BEATS = 3'd5;
  localparam int LRH_BYTES = 8;
  localparam int GRH_BYTES = 40;

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W) begin : gen_check_data
    $fatal(0, "a stream is not 64 bits wide (%m)");
  end
  if (BYTES < 8192 || (BYTES & (BYTES - 1)) != 0) begin : gen_check_bytes
    $fatal(0, "BYTES must be a power of two from 8192 on (%m)");
  end

  // ---- ICRC -------------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) checked ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) good ();
  kumi_rec_if #(.W(16)) no_len ();
  logic [$clog2(BYTES/8):0] depth;
  logic bad_icrc, kept, no_full, dropped, too_long;

  kumi_ib_icrc_check u_check (
      .clk,
      .rst,
      .s_axis,
      .m_axis(checked),
      .ev_bad(bad_icrc)
  );
  kumi_axis_frame_fifo #(
      .DEPTH(BYTES / 8),
      .DROP_FULL(1'b0)
  ) u_buffer (
      .clk,
      .rst,
      .s_axis(checked),
      .m_axis(good),
      .m_len(no_len),
      .depth,
      .ev_good(kept),
      .ev_bad(dropped),
      .ev_full(no_full),
      .ev_oversize(too_long)
  );
  assign no_len.ready = 1'b1;

  // ---- LRH and GRH away -------------------------------------------------------------------------
  // What is behind them looks like a datagram of RoCEv2 to kumi_roce_rx.
  lrh_t lrh;
  logic first_q, with_grh, mine;
  logic [2:0] skip_q;  // beats in front of the BTH that are still to come
  logic [12:0] bytes;
  kumi_ip_pkg::udp_hdr_t udp;
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) behind ();

  assign lrh = {swap32(good.tdata[31:0]), swap32(good.tdata[63:32])};
  assign with_grh = lrh.lnh == LNH_GRH;
  assign mine = (lrh.dlid ^ lid) >> lmc == '0 && (lrh.lnh == LNH_LOCAL || with_grh);
  assign bytes = {lrh.pkt_len, 2'b00} - (with_grh ? 13'(LRH_BYTES + GRH_BYTES) : 13'(LRH_BYTES));
  always_comb begin
    udp = '0;
    udp.peer_ip = {16'd0, lrh.slid};
    udp.peer_port = {12'd0, lrh.sl};
    udp.local_port = mine ? 16'(ROCE_UDP_PORT) : '0;
    udp.length = 16'(bytes);
  end
  assign hdr.data = udp;
  assign hdr.valid = good.tvalid && first_q;

  assign good.tready = first_q ? hdr.ready : skip_q != '0 || behind.tready;
  assign behind.tvalid = good.tvalid && !first_q && skip_q == '0;
  assign behind.tdata = good.tdata;
  assign behind.tkeep = good.tkeep;
  assign behind.tlast = good.tlast;
  assign behind.tuser = '0;
  assign behind.tid = '0;
  assign behind.tdest = '0;

  always_ff @(posedge clk) begin
    if (good.tvalid && good.tready) begin
      first_q <= good.tlast;
      if (first_q) skip_q <= with_grh ? GRH_BEATS : '0;
      else if (skip_q != '0) skip_q <= skip_q - 1'b1;
    end
    if (rst) first_q <= 1'b1;
  end

  // ---- transport headers ------------------------------------------------------------------------
  kumi_roce_pkg::roce_rx_events_t ev_headers;
  kumi_roce_rx #(
      .DATA_W(DATA_W)
  ) u_headers (
      .clk,
      .rst,
      .s_hdr(hdr),
      .s_axis(behind),
      .m_pkt,
      .m_axis,
      .ev(ev_headers)
  );
  always_comb begin
    ev = ev_headers;
    ev.bad_icrc = bad_icrc;
  end
  assign busy = checked.tvalid || good.tvalid || behind.tvalid || m_pkt.valid || m_axis.tvalid;

  logic unused;
  assign unused = ^{depth, kept, no_full, dropped, too_long, no_len.data, no_len.valid, lrh,
                    good.tuser, good.tid, good.tdest};
endmodule
