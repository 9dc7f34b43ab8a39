// SPDX-License-Identifier: Apache-2.0
//
// DHCP client of a node (kumi_dhcp): between the IP stack and the kernels, with registers.
//
//   s_rx_hdr, s_rx (stack)    -> port 68 -> kumi_dhcp;  the others -> m_rx_hdr, m_rx (kernels)
//   s_tx_hdr, s_tx (kernels)  -> gate, kumi_dhcp        -> m_tx_hdr, m_tx (stack)
//   s_raw_hdr, s_raw          -> gate                   -> m_raw_hdr, m_raw
//
// set: the settings of the register block `ip`; cfg: those for the stack. While ctrl.enable is high
//   port 68 is open and the lease's addresses are in it, and until there is a lease the stack hears
//   that port only.
// The gates drop what kernels send while the node has no address, and count it.
// conflict: see kumi_dhcp. busy: a message is being sent or read.
// Latency: received record and payload 1 cycle, sent ones as kumi_udp_mux and 1 cycle for the
//   record; raw ones 1 cycle for the record. One beat a cycle. Answers that come faster than they
//   are read (a byte a cycle, 1 KiB waits) are dropped and counted; nothing waits for them.
// DHCP = 0: wires, and no registers.
module kumi_node_dhcp
  import kumi_dhcp_pkg::*;
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path
    parameter bit DHCP   = 0    // 1: there is a client
) (
    input  logic            clk,
    input  logic            rst,
           kumi_axil_if.slv s_axil,
    input  ip_cfg_t         set,
    output ip_cfg_t         cfg,
    input  logic            conflict,
    output logic            busy,
           kumi_rec_if.snk  s_rx_hdr,
           kumi_axis_if.snk s_rx,
           kumi_rec_if.src  m_rx_hdr,
           kumi_axis_if.src m_rx,
           kumi_rec_if.snk  s_tx_hdr,
           kumi_axis_if.snk s_tx,
           kumi_rec_if.src  m_tx_hdr,
           kumi_axis_if.src m_tx,
           kumi_rec_if.snk  s_raw_hdr,
           kumi_axis_if.snk s_raw,
           kumi_rec_if.src  m_raw_hdr,
           kumi_axis_if.src m_raw
);
  if (DHCP) begin : gen_dhcp
    localparam int EVENTS = $bits(dhcp_events_t);
    localparam int WAIT_BYTES = 1024;

    // ---- registers ----------------------------------------------------------------------------
    kumi_dhcp_regs_pkg::kumi_dhcp_regs__in_t hwif_in;
    kumi_dhcp_regs_pkg::kumi_dhcp_regs__out_t hwif_out;
    dhcp_state_e state;
    dhcp_answer_t lease;
    logic [31:0] age;
    logic enable, addressed, announce, client_busy;
    dhcp_events_t ev, ev_client;
    logic ev_full, ev_bad, ev_oversize, ev_shut, ev_raw_shut, unused_good, unused_closed;
    logic [$clog2(WAIT_BYTES*8/DATA_W):0] unused_depth;

    kumi_dhcp_regs u_regs (
        .clk,
        .rst,
        .s_axil,
        .hwif_in,
        .hwif_out
    );

    kumi_event_counters #(
        .N(EVENTS)
    ) u_counters (
        .clk,
        .rst,
        .ev,
        .req(hwif_out.counters.req),
        .req_is_wr(hwif_out.counters.req_is_wr),
        .req_index(6'(hwif_out.counters.addr[5:2])),
        .rd_ack(hwif_in.counters.rd_ack),
        .rd_data(hwif_in.counters.rd_data),
        .wr_ack(hwif_in.counters.wr_ack)
    );

    assign enable = hwif_out.ctrl.enable.value;
    assign hwif_in.status.state.next = state;
    assign hwif_in.status.addressed.next = addressed;
    assign hwif_in.ip.value.next = addressed ? lease.ip : '0;
    assign hwif_in.netmask.value.next = addressed ? lease.netmask : '0;
    assign hwif_in.gateway.value.next = addressed ? lease.gateway : '0;
    assign hwif_in.server.value.next = addressed ? lease.server : '0;
    assign hwif_in.lease.value.next = addressed ? lease.lease : '0;
    assign hwif_in.age.value.next = addressed ? age : '0;

    // A packet of each kind may be dropped in one cycle; two pulses are counted one by one.
    logic owed_q;
    always_ff @(posedge clk) begin
      ev <= ev_client;
      ev.drop_full <= ev_full;
      ev.rx_bad <= ev_client.rx_bad || ev_bad || ev_oversize;
      ev.drop_no_address <= ev_shut || ev_raw_shut || owed_q;
      owed_q <= (ev_shut && ev_raw_shut) || (owed_q && (ev_shut || ev_raw_shut));
      if (rst) begin
        ev <= '0;
        owed_q <= 1'b0;
      end
    end

    // ---- settings -----------------------------------------------------------------------------
    // Registered: addresses change rarely, and the stack compares them with whatever arrives.
    always_ff @(posedge clk) begin
      cfg <= set;
      cfg.udp_ports[UDP_KERNEL_PORTS] <= '{valid: enable, port: DHCP_CLIENT_PORT};
      if (enable || addressed) begin
        cfg.ip <= addressed ? lease.ip : '0;
        cfg.netmask <= addressed ? lease.netmask : '0;
        cfg.gateway <= addressed ? lease.gateway : '0;
        cfg.announce <= set.announce || announce;
        if (!addressed) begin
          cfg.ping <= 1'b0;
          cfg.raw <= 1'b0;
          cfg.multicast <= 1'b0;
          cfg.udp_any <= 1'b0;
          cfg.unreachable <= 1'b0;
          cfg.udp_ports <= '0;
          cfg.udp_ports[UDP_KERNEL_PORTS] <= '{valid: 1'b1, port: DHCP_CLIENT_PORT};
        end
      end else if (set.ip == '0) begin
        cfg.enable <= 1'b0;
      end
    end

    // ---- received -----------------------------------------------------------------------------
    kumi_rec_if #(.W(UDP_HDR_W)) rx_hdr[2] ();
    kumi_axis_if #(.DATA_W(DATA_W)) rx[2] ();

    kumi_udp_demux #(
        .PORTS(2),
        .REST (1'b1)
    ) u_demux (
        .clk,
        .rst,
        .ports({16'd0, DHCP_CLIENT_PORT}),
        .port_valid({1'b0, enable}),
        .s_hdr(s_rx_hdr),
        .s_axis(s_rx),
        .m_hdr(rx_hdr),
        .m_axis(rx),
        .ev_closed(unused_closed)
    );

    // The record says nothing that the message does not.
    assign rx_hdr[0].ready = 1'b1;

    kumi_axis_if #(.DATA_W(DATA_W)) kept ();
    kumi_axis_if #(.DATA_W(8)) bytes ();
    kumi_rec_if #(.W(1)) unused_len ();
    assign unused_len.ready = 1'b1;

    kumi_axis_frame_fifo #(
        .DEPTH(WAIT_BYTES * 8 / DATA_W)
    ) u_kept (
        .clk,
        .rst,
        .s_axis (rx[0]),
        .m_axis (kept),
        .m_len  (unused_len),
        .depth  (unused_depth),
        .ev_good(unused_good),
        .ev_bad,
        .ev_full,
        .ev_oversize
    );

    kumi_axis_width u_narrow (
        .clk,
        .rst,
        .s_axis(kept),
        .m_axis(bytes)
    );

    // ---- client -------------------------------------------------------------------------------
    kumi_rec_if #(.W(UDP_HDR_W)) tx_hdr[2] ();
    kumi_axis_if #(.DATA_W(DATA_W)) tx[2] ();
    kumi_axis_if #(.DATA_W(8)) message ();

    kumi_dhcp u_dhcp (
        .clk,
        .rst,
        .enable,
        .mac(set.mac),
        .tick_cycles(set.tick_cycles),
        .conflict,
        .s_axis(bytes),
        .m_hdr(tx_hdr[0]),
        .m_axis(message),
        .state,
        .lease,
        .age,
        .addressed,
        .announce,
        .busy(client_busy),
        .ev(ev_client)
    );

    kumi_axis_width u_widen (
        .clk,
        .rst,
        .s_axis(message),
        .m_axis(tx[0])
    );

    assign busy = client_busy || rx[0].tvalid || kept.tvalid || bytes.tvalid || tx[0].tvalid;

    // ---- sent ---------------------------------------------------------------------------------
    udp_hdr_t tx_rec;
    ip_hdr_t raw_rec;
    logic shut_q;
    assign tx_rec  = udp_hdr_t'(s_tx_hdr.data);
    assign raw_rec = ip_hdr_t'(s_raw_hdr.data);
    always_ff @(posedge clk) shut_q <= enable && !addressed;

    kumi_dhcp_gate u_gate (
        .clk,
        .rst,
        .shut(shut_q),
        .length(tx_rec.length),
        .s_hdr(s_tx_hdr),
        .s_axis(s_tx),
        .m_hdr(tx_hdr[1]),
        .m_axis(tx[1]),
        .ev_drop(ev_shut)
    );

    kumi_dhcp_gate u_raw_gate (
        .clk,
        .rst,
        .shut(shut_q),
        .length(raw_rec.length),
        .s_hdr(s_raw_hdr),
        .s_axis(s_raw),
        .m_hdr(m_raw_hdr),
        .m_axis(m_raw),
        .ev_drop(ev_raw_shut)
    );

    kumi_udp_mux #(
        .PORTS(2)
    ) u_mux (
        .clk,
        .rst,
        .s_hdr (tx_hdr),
        .s_axis(tx),
        .m_hdr (m_tx_hdr),
        .m_axis(m_tx)
    );

    assign m_rx_hdr.data   = rx_hdr[1].data;
    assign m_rx_hdr.valid  = rx_hdr[1].valid;
    assign rx_hdr[1].ready = m_rx_hdr.ready;

    kumi_axis_width u_rx (
        .clk,
        .rst,
        .s_axis(rx[1]),
        .m_axis(m_rx)
    );

    logic unused;
    assign unused = &{unused_good, unused_closed, unused_depth, tx_rec, raw_rec, lease.kind,
                      lease.t1, lease.t2};
  end else begin : gen_wires
    assign cfg = set;
    assign busy = 1'b0;

    assign m_rx_hdr.data = s_rx_hdr.data;
    assign m_rx_hdr.valid = s_rx_hdr.valid;
    assign s_rx_hdr.ready = m_rx_hdr.ready;
    assign m_tx_hdr.data = s_tx_hdr.data;
    assign m_tx_hdr.valid = s_tx_hdr.valid;
    assign s_tx_hdr.ready = m_tx_hdr.ready;
    assign m_raw_hdr.data = s_raw_hdr.data;
    assign m_raw_hdr.valid = s_raw_hdr.valid;
    assign s_raw_hdr.ready = m_raw_hdr.ready;

    // Of equal widths: wires.
    kumi_axis_width u_rx (
        .clk,
        .rst,
        .s_axis(s_rx),
        .m_axis(m_rx)
    );
    kumi_axis_width u_tx (
        .clk,
        .rst,
        .s_axis(s_tx),
        .m_axis(m_tx)
    );
    kumi_axis_width u_raw (
        .clk,
        .rst,
        .s_axis(s_raw),
        .m_axis(m_raw)
    );

    kumi_axil_err_slv u_none (
        .clk,
        .rst,
        .s_axil
    );

    logic unused;
    assign unused = conflict;
  end
endmodule
