// SPDX-License-Identifier: Apache-2.0
//
// Register block of a node's IP stack (regs/ip.rdl): addresses, settings, event counters.
//
// s_axil: the block's registers. cfg: settings for the stack. udp_listen: the ports of the kernels;
//   others are closed. ev: its events; ev_node: those of the node's own buffers; each pulse counts
//   one.
module kumi_node_ip_regs
  import kumi_ip_pkg::*;
#(
    parameter bit RAW  = 1'b0,  // 1: deliver IPv4 packets that are neither ICMP nor UDP
    parameter bit DHCP = 1'b0   // 1: an address may come from elsewhere
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    output ip_cfg_t cfg,
    input udp_listen_t udp_listen,
    input ip_events_t ev,
    input logic [2:0] ev_node
);
  localparam int IP_EVENTS = $bits(ip_events_t);
  localparam int EVENTS = IP_EVENTS + 3;
  kumi_ip_regs_pkg::kumi_ip_regs__in_t  hwif_in;
  kumi_ip_regs_pkg::kumi_ip_regs__out_t hwif_out;

  kumi_ip_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // Counter 0 is the first member of ip_events_t, which is its highest bit.
  logic [IP_EVENTS-1:0] ev_bits;
  logic [EVENTS-1:0] ev_order;
  assign ev_bits = ev;
  for (genvar i = 0; i < IP_EVENTS; ++i) begin : gen_order
    assign ev_order[i] = ev_bits[IP_EVENTS-1-i];
  end
  assign ev_order[EVENTS-1:IP_EVENTS] = ev_node;

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev(ev_order),
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(hwif_out.counters.addr[7:2]),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  udp_listen_t listen_q;  // it comes from registers of the kernels, and is compared in the stack
  always_ff @(posedge clk) listen_q <= udp_listen;

  always_comb begin
    cfg = '0;
    cfg.mac = {hwif_out.mac_hi.value.value, hwif_out.mac_lo.value.value};
    cfg.ip = hwif_out.ip.value.value;
    cfg.netmask = hwif_out.netmask.value.value;
    cfg.gateway = hwif_out.gateway.value.value;
    cfg.ttl = hwif_out.ctrl.ttl.value;
    cfg.tick_cycles = hwif_out.tick.cycles.value;
    cfg.arp_retry_ticks = hwif_out.arp.retry_ticks.value;
    cfg.arp_retries = hwif_out.arp.retries.value;
    cfg.arp_age_ticks = hwif_out.arp_age.ticks.value;
    cfg.enable = hwif_out.ctrl.enable.value && (DHCP || hwif_out.ip.value.value != '0);
    cfg.promiscuous = hwif_out.ctrl.promiscuous.value;
    cfg.multicast = hwif_out.ctrl.multicast.value;
    cfg.ping = hwif_out.ctrl.ping.value;
    cfg.udp_any = 1'b1;  // the kernels choose and count
    cfg.drop_ttl0 = hwif_out.ctrl.drop_ttl0.value;
    cfg.arp_strict = hwif_out.ctrl.arp_strict.value;
    cfg.dont_fragment = hwif_out.ctrl.dont_fragment.value;
    cfg.announce = hwif_out.command.announce.value;
    cfg.raw = RAW;
    cfg.unreachable = hwif_out.ctrl.unreachable.value && !listen_q.every;
    cfg.error_ticks = hwif_out.icmp.error_ticks.value;
    cfg.udp_ports[UDP_KERNEL_PORTS-1:0] = listen_q.ports;
  end
endmodule
