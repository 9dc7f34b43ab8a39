// SPDX-License-Identifier: Apache-2.0
//
// Register block of a node's Ethernet transport (regs/eth_rtp.rdl): settings, status, counters.
//
// s_axil: the block's registers. cfg: settings; its mtu is the port's. s_status: rtp_status_t; up
//   to 16 wait to be read, further ones are dropped and flagged. ev: pulses.
module kumi_node_eth_rtp_regs
  import kumi_eth_rtp_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_status,
    input logic [13:0] mtu,
    output rtp_cfg_t cfg,
    input rtp_events_t ev
);
  localparam int EVENTS = $bits(rtp_events_t);

  kumi_eth_rtp_regs_pkg::kumi_eth_rtp_regs__in_t  hwif_in;
  kumi_eth_rtp_regs_pkg::kumi_eth_rtp_regs__out_t hwif_out;

  kumi_eth_rtp_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  always_comb begin
    cfg = RTP_CFG_DEFAULT;
    cfg.mtu = mtu;
    cfg.nonce = hwif_out.nonce.value.value;
    cfg.ack_delay = hwif_out.ack.delay.value;
    cfg.rto_init = hwif_out.rto_init.value.value;
    cfg.rto_min = hwif_out.rto_min.value.value;
    cfg.rto_max = hwif_out.rto_max.value.value;
    cfg.hello_interval = hwif_out.hello_interval.value.value;
    cfg.probe_interval = hwif_out.probe_interval.value.value;
    cfg.max_timeouts = hwif_out.max_timeouts.value.value;
  end

  // ---- status --------------------------------------------------------------------------------
  kumi_rec_if #(.W(16)) offered ();
  kumi_rec_if #(.W(16)) waiting ();
  rtp_status_t status;
  logic full_q;
  logic [4:0] depth;

  assign offered.valid  = s_status.valid;
  assign offered.data   = s_status.data;
  assign s_status.ready = 1'b1;

  kumi_rec_fifo #(
      .DEPTH(16)
  ) u_status (
      .clk,
      .rst,
      .s_hdr(offered),
      .m_hdr(waiting),
      .depth
  );

  assign status = rtp_status_t'(waiting.data);
  assign waiting.ready = hwif_out.status.code.swacc;
  assign hwif_in.status.code.next = waiting.valid ? status.code : 4'd0;
  assign hwif_in.status.peer.next = waiting.valid ? status.peer : 12'd0;
  assign hwif_in.status.valid.next = waiting.valid;
  assign hwif_in.status.overflow.next = full_q;

  always_ff @(posedge clk) begin
    if (hwif_out.status.code.swacc) full_q <= 1'b0;
    if (offered.valid && !offered.ready) full_q <= 1'b1;
    if (rst) full_q <= 1'b0;
  end

  // ---- counters ------------------------------------------------------------------------------
  // Counter 0 is the first member of rtp_events_t, which is its highest bit.
  logic [EVENTS-1:0] ev_bits, ev_order;
  assign ev_bits = ev;
  for (genvar i = 0; i < EVENTS; ++i) begin : gen_order
    assign ev_order[i] = ev_bits[EVENTS-1-i];
  end

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev(ev_order),
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[6:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  logic unused;
  assign unused = ^depth;
endmodule
