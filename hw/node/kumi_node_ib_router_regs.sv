// SPDX-License-Identifier: Apache-2.0
//
// Register block of a node's router and SW2 interface (regs/ib_router.rdl): settings, peers, tables
// of the interface, stores of software, counters.
//
// cfg, node, peer_*: for kumi_ib_router; lid: of the port. write, window_busy: for kumi_sw2_ni.
// m_axi: single beats into the interface's stores, one at a time; begins 2 cycles after the write
//   of store_hi. store_busy: until its response. now: cycles since reset; mem_write: memory takes a
//   beat of a peer.
// router_ev, tx_ev, rx_ev, up_ev, down_ev: pulses of the router, the interface, and the receivers
//   of the SW2 link at the router and at the interface.
// Bad input: a store written while another one is in progress is dropped and counted (store_lost);
//   a peer's or table's entry written while status.peer_busy is set changes that entry.
module kumi_node_ib_router_regs
  import kumi_sw2_pkg::table_write_t, kumi_sw2_pkg::table_e, kumi_sw2_pkg::link_events_t,
      kumi_sw2_pkg::tx_events_t, kumi_sw2_pkg::rx_events_t;
  import kumi_ib_router_pkg::*;
#(
    parameter  int PEERS   = 64,
    parameter  int KICKS   = 16,
    parameter  int WINDOWS = 16,
    parameter  int REGIONS = 16,
    localparam int PEER_W  = $clog2(PEERS)
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    input logic [15:0] lid,
    input logic [31:0] now,

    // Router.
    output cfg_t                      cfg,
    output logic                      peer_valid,
    input  logic                      peer_ready,
    output logic         [PEER_W-1:0] peer_index,
    output router_peer_t              peer_entry,
    input  logic         [ PEERS-1:0] dead,
    input  logic                      sending,
    input  logic                      arriving,

    // Interface.
    output logic [15:0] node,
    output table_write_t write,
    kumi_axi_if.mst_wr m_axi,
    output logic store_busy,
    input logic mem_write,
    input logic [WINDOWS-1:0] window_busy,

    // Events.
    input events_t      router_ev,
    input tx_events_t   tx_ev,
    input rx_events_t   rx_ev,
    input link_events_t up_ev,
    input link_events_t down_ev
);
  if (PEERS > 64 || WINDOWS > 32) begin : gen_check
    $fatal(0, "the registers have bits for 64 PEERS and 32 WINDOWS (%m)");
  end

  kumi_ib_router_regs_pkg::kumi_ib_router_regs__in_t  hwif_in;
  kumi_ib_router_regs_pkg::kumi_ib_router_regs__out_t hwif_out;

  kumi_ib_router_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  assign hwif_in.shape.peers.next   = 8'(PEERS);
  assign hwif_in.shape.kicks.next   = 8'(KICKS);
  assign hwif_in.shape.windows.next = 8'(WINDOWS);
  assign hwif_in.shape.regions.next = 8'(REGIONS);
  assign hwif_in.dead[0].value.next = 32'(64'(dead));
  assign hwif_in.dead[1].value.next = 32'(64'(dead) >> 32);
  assign hwif_in.window.busy.next   = 32'(window_busy);

  // ---- router ----------------------------------------------------------------------------------
  logic peer_q;

  assign cfg = '{
          lid: lid,
          sl: {
            hwif_out.service.sl3.value,
            hwif_out.service.sl2.value,
            hwif_out.service.sl1.value,
            hwif_out.service.sl0.value
          },
          timeout: hwif_out.timers.timeout.value,
          rnr_wait: hwif_out.timers.rnr_wait.value,
          retries: hwif_out.timers.retries.value
      };
  assign peer_valid = peer_q;
  assign peer_index = hwif_out.peer.index.value[PEER_W-1:0];
  assign peer_entry = '{
          enable: hwif_out.peer.enable.value,
          lid: hwif_out.peer_address.lid.value,
          p_key: hwif_out.peer_address.p_key.value,
          qpn: hwif_out.peer_qp.qpn.value
      };
  always_ff @(posedge clk) begin
    if (hwif_out.peer.write.value) peer_q <= 1'b1;
    else if (peer_ready) peer_q <= 1'b0;
    if (rst) peer_q <= 1'b0;
  end
  assign hwif_in.status.peer_busy.next = peer_q;
  assign hwif_in.status.sending.next = sending;
  assign hwif_in.status.arriving.next = arriving;

  // ---- tables of the interface -----------------------------------------------------------------
  assign node = hwif_out.node.value.value;
  assign write = '{
          valid: hwif_out.entry.write.value,
          sel: table_e'(hwif_out.entry.sel.value),
          index: hwif_out.entry.index.value,
          entry: {
            hwif_out.entry_hi.value.value,
            hwif_out.entry_mid.value.value,
            hwif_out.entry_lo.value.value
          }
      };

  // ---- stores ----------------------------------------------------------------------------------
  // swmod is a cycle ahead of the value.
  logic store_written_q, aw_q, w_q, b_q, refused_q, lost_q;
  logic [19:0] addr_q;
  logic [63:0] data_q;
  logic [ 7:0] strobes_q;

  assign store_busy = aw_q || w_q || b_q;
  always_ff @(posedge clk) begin
    store_written_q <= hwif_out.store_hi.value.swmod;
    lost_q <= store_written_q && store_busy && !rst;
    if (m_axi.awready) aw_q <= 1'b0;
    if (m_axi.wready) w_q <= 1'b0;
    if (m_axi.bvalid && b_q) begin
      b_q <= 1'b0;
      refused_q <= m_axi.bresp != 2'b00;
    end
    if (store_written_q && !store_busy) begin
      addr_q    <= hwif_out.store.addr.value;
      strobes_q <= hwif_out.store.strobes.value;
      data_q    <= {hwif_out.store_hi.value.value, hwif_out.store_lo.value.value};
      aw_q      <= 1'b1;
      w_q       <= 1'b1;
      b_q       <= 1'b1;
    end
    if (rst) begin
      store_written_q <= 1'b0;
      aw_q <= 1'b0;
      w_q <= 1'b0;
      b_q <= 1'b0;
      refused_q <= 1'b0;
    end
  end
  assign m_axi.awvalid = aw_q;
  assign m_axi.awaddr = (m_axi.ADDR_W)'(addr_q);
  assign m_axi.awid = '0;
  assign m_axi.awlen = '0;
  assign m_axi.awsize = 3'd3;
  assign m_axi.awburst = 2'b01;
  assign m_axi.wvalid = w_q;
  assign m_axi.wdata = data_q;
  assign m_axi.wstrb = strobes_q;
  assign m_axi.wlast = 1'b1;
  assign m_axi.bready = 1'b1;
  assign hwif_in.status.store_busy.next = store_busy || store_written_q;
  assign hwif_in.status.store_refused.next = refused_q;

  // ---- times -----------------------------------------------------------------------------------
  logic [31:0] store_cycle_q, written_cycle_q;
  always_ff @(posedge clk) begin
    if (m_axi.wvalid && m_axi.wready) store_cycle_q <= now;
    if (mem_write) written_cycle_q <= now;
    if (rst) begin
      store_cycle_q   <= '0;
      written_cycle_q <= '0;
    end
  end
  assign hwif_in.store_cycle.value.next   = store_cycle_q;
  assign hwif_in.written_cycle.value.next = written_cycle_q;

  // ---- counters --------------------------------------------------------------------------------
  kumi_event_counters #(
      .N(12)
  ) u_traffic (
      .clk,
      .rst,
      .ev({
        down_ev.corrected,
        up_ev.corrected,
        rx_ev.received,
        router_ev.timed_out,
        router_ev.rnr_rcvd,
        router_ev.nak_rcvd,
        router_ev.rnr_sent,
        router_ev.nak_sent,
        router_ev.ack_sent,
        router_ev.received,
        router_ev.resent,
        router_ev.sent
      }),
      .req(hwif_out.traffic.req),
      .req_is_wr(hwif_out.traffic.req_is_wr),
      .req_index(6'(hwif_out.traffic.addr[5:2])),
      .rd_ack(hwif_in.traffic.rd_ack),
      .rd_data(hwif_in.traffic.rd_data),
      .wr_ack(hwif_in.traffic.wr_ack)
  );
  kumi_event_counters #(
      .N(34)
  ) u_drops (
      .clk,
      .rst,
      .ev({
        down_ev.overrun,
        down_ev.stray,
        down_ev.bad_packet,
        down_ev.framing,
        down_ev.uncorrectable,
        up_ev.overrun,
        up_ev.stray,
        up_ev.bad_packet,
        up_ev.framing,
        up_ev.uncorrectable,
        router_ev.dead_peer,
        router_ev.unknown_peer,
        router_ev.answer_lost,
        router_ev.bad_payload,
        router_ev.bad_pkey,
        router_ev.bad_qp,
        router_ev.bad_lid,
        router_ev.bad_header,
        router_ev.bad_icrc,
        router_ev.no_space,
        router_ev.gap,
        router_ev.duplicate,
        router_ev.stale_ack,
        router_ev.died,
        rx_ev.write_error,
        rx_ev.out_of_bounds,
        rx_ev.bad_region,
        rx_ev.bad_packet,
        rx_ev.wrong_node,
        lost_q,
        tx_ev.read_error,
        tx_ev.kick_refused,
        tx_ev.window_refused,
        tx_ev.store_refused
      }),
      .req(hwif_out.drops.req),
      .req_is_wr(hwif_out.drops.req_is_wr),
      .req_index(6'(hwif_out.drops.addr[7:2])),
      .rd_ack(hwif_in.drops.rd_ack),
      .rd_data(hwif_in.drops.rd_data),
      .wr_ack(hwif_in.drops.wr_ack)
  );

  logic unused;
  assign unused = ^{m_axi.bid, hwif_out.peer.index.value, hwif_out.traffic.addr[1:0],
                    hwif_out.traffic.wr_data, hwif_out.traffic.wr_biten, hwif_out.drops.addr[1:0],
                    hwif_out.drops.wr_data, hwif_out.drops.wr_biten};
endmodule
