// SPDX-License-Identifier: Apache-2.0
//
// IPv6 of a node (kumi_ip6): between the Ethernet port and the IP stack, with registers.
//
//   s_eth (port)  -> kumi_ip6 -> m_stack        m_eth <- kumi_ip6 <- s_stack
//   s_udp_hdr, s_raw_hdr (kernels) -> m_udp_hdr, m_raw_hdr (stack): to a peer of IPv6 with the MAC
//     address that says so; 0 cycles
//
// set: the settings of the register block `ip`; cfg: those for the stack. busy: see kumi_ip6.
// Latency: as kumi_ip6. IPV6 = 0: wires, and no registers.
module kumi_node_ip6
  import kumi_ip6_pkg::*;
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path
    parameter bit IPV6   = 0,   // 1: there is IPv6
    parameter int PEERS  = 256  // known at a time, a power of two, 8..65536
) (
    input  logic            clk,
    input  logic            rst,
           kumi_axil_if.slv s_axil,
    input  ip_cfg_t         set,
    output ip_cfg_t         cfg,
    output logic            busy,
           kumi_axis_if.snk s_eth,
           kumi_axis_if.src m_eth,
           kumi_axis_if.snk s_stack,
           kumi_axis_if.src m_stack,
           kumi_rec_if.snk  s_udp_hdr,
           kumi_rec_if.src  m_udp_hdr,
           kumi_rec_if.snk  s_raw_hdr,
           kumi_rec_if.src  m_raw_hdr
);
  assign m_udp_hdr.valid = s_udp_hdr.valid;
  assign s_udp_hdr.ready = m_udp_hdr.ready;
  assign m_raw_hdr.valid = s_raw_hdr.valid;
  assign s_raw_hdr.ready = m_raw_hdr.ready;

  if (IPV6) begin : gen_ip6
    localparam int EVENTS = $bits(ip6_events_t);

    // ---- registers ----------------------------------------------------------------------------
    kumi_ip6_regs_pkg::kumi_ip6_regs__in_t hwif_in;
    kumi_ip6_regs_pkg::kumi_ip6_regs__out_t hwif_out;
    ip6_cfg_t cfg6;
    ip6_own_t [OWNS-1:0] own;
    logic [OWNS-1:0] duplicate;
    ip6_events_t ev;
    logic [EVENTS-1:0] ev_bits, ev_order;

    kumi_ip6_regs u_regs (
        .clk,
        .rst,
        .s_axil,
        .hwif_in,
        .hwif_out
    );

    // Counter 0 is the first member of ip6_events_t, which is its highest bit.
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

    for (genvar i = 0; i < OWNS; ++i) begin : gen_status
      assign hwif_in.status.valid.next[i] = own[i].valid;
      assign hwif_in.status.duplicate.next[i] = duplicate[i];
    end
    assign {hwif_in.link_0.value.next, hwif_in.link_1.value.next, hwif_in.link_2.value.next,
            hwif_in.link_3.value.next} = own[OWN_LINK].address;
    assign {hwif_in.auto_0.value.next, hwif_in.auto_1.value.next, hwif_in.auto_2.value.next,
            hwif_in.auto_3.value.next} = own[OWN_AUTO].address;

    always_comb begin
      cfg = set;
      cfg.handles = 1'b1;
    end

    // Registered: they change rarely, and are compared with whatever arrives.
    always_ff @(posedge clk) begin
      cfg6.enable <= hwif_out.ctrl.enable.value && set.enable;
      cfg6.autoconf <= hwif_out.ctrl.autoconf.value;
      cfg6.ping <= hwif_out.ctrl.ping.value;
      cfg6.probes <= hwif_out.ctrl.probes.value;
      cfg6.second_ticks <= hwif_out.ctrl.second_ticks.value;
      cfg6.mtu <= hwif_out.mtu.bytes.value;
      cfg6.mac <= set.mac;
      cfg6.tick_cycles <= set.tick_cycles;
      cfg6.ip <= set.ip;
      cfg6.address <= {
        hwif_out.address_0.value.value,
        hwif_out.address_1.value.value,
        hwif_out.address_2.value.value,
        hwif_out.address_3.value.value
      };
    end

    kumi_ip6 #(
        .DATA_W(DATA_W),
        .PEERS (PEERS)
    ) u_ip6 (
        .clk,
        .rst,
        .cfg(cfg6),
        .own,
        .duplicate,
        .ev,
        .busy,
        .s_eth,
        .m_eth,
        .s_stack,
        .m_stack
    );

    // ---- records of the kernels ---------------------------------------------------------------
    udp_hdr_t udp;
    ip_hdr_t  raw;

    function automatic logic is_peer(input logic [31:0] ip);
      return ip[31:28] == HANDLE_NET && ip != '1;
    endfunction

    always_comb begin
      udp = udp_hdr_t'(s_udp_hdr.data);
      raw = ip_hdr_t'(s_raw_hdr.data);
      if (is_peer(udp.peer_ip)) begin
        udp.peer_mac = {HANDLE_OUI, udp.peer_ip};
        udp.peer_mac_valid = 1'b1;
        udp.vlan_valid = 1'b0;
      end
      if (is_peer(raw.peer_ip)) begin
        raw.peer_mac = {HANDLE_OUI, raw.peer_ip};
        raw.peer_mac_valid = 1'b1;
        raw.vlan_valid = 1'b0;
      end
    end
    assign m_udp_hdr.data = udp;
    assign m_raw_hdr.data = raw;

    logic unused;
    assign unused = &{own[OWN_GIVEN].address};
  end else begin : gen_wires
    assign cfg = set;
    assign busy = 1'b0;
    assign m_udp_hdr.data = s_udp_hdr.data;
    assign m_raw_hdr.data = s_raw_hdr.data;

    // Of equal widths: wires.
    kumi_axis_width u_received (
        .clk,
        .rst,
        .s_axis(s_eth),
        .m_axis(m_stack)
    );
    kumi_axis_width u_sent (
        .clk,
        .rst,
        .s_axis(s_stack),
        .m_axis(m_eth)
    );

    kumi_axil_err_slv u_none (
        .clk,
        .rst,
        .s_axil
    );
  end
endmodule
