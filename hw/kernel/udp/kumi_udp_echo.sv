// SPDX-License-Identifier: Apache-2.0
//
// UDP echo (RFC 862): returns every datagram of a port, or of all ports, to its sender.
//
// A record names the peer and the local port, so the reply's record is the received one; swapping
// addresses and ports leaves the UDP checksum as it is, so it is sent as received and nothing waits
// for the end of the payload.
//
// s_hdr, s_axis: received record and payload; m_hdr, m_axis: to send, both registered.
// Latency: 1 cycle for record and payload, also when they arrive together; one beat a cycle, also
//   from frame to frame.
// listen: the port that it takes, every one, or none while disabled.
// Bad input: a payload that ends with the bad mark is returned with it, and counted. Datagrams of
//   another port, or while disabled, are dropped and counted.
module kumi_udp_echo
  import kumi_ip_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output udp_listen_t listen,
    output logic busy
);
  localparam int EVENTS = 5;

  if (s_axis.DATA_W != m_axis.DATA_W) begin : gen_check_width
    $fatal(0, "s_axis and m_axis differ in width (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_echo_regs_pkg::kumi_echo_regs__in_t  hwif_in;
  kumi_echo_regs_pkg::kumi_echo_regs__out_t hwif_out;

  kumi_echo_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [EVENTS-1:0] ev;
  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[4:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  // ---- datapath ------------------------------------------------------------------------------
  udp_hdr_t hdr, reply;
  logic active_q, pass_q;  // inside a payload; it goes back
  logic enable, match, answer, room, take, open, pass, beat, last, out_free;

  assign hdr = udp_hdr_t'(s_hdr.data);
  assign enable = hwif_out.ctrl.enable.value;
  assign match = hwif_out.port.value.value == '0 || hdr.local_port == hwif_out.port.value.value;
  assign answer = enable && match;

  // The first beat may come with its record; the next record with the last beat.
  assign room = !answer || !m_hdr.valid || m_hdr.ready;
  assign open = active_q || (s_hdr.valid && room && hdr.length != '0);
  assign pass = active_q ? pass_q : answer;
  assign out_free = !m_axis.tvalid || m_axis.tready;
  assign s_axis.tready = open && (out_free || !pass);
  assign beat = s_axis.tvalid && s_axis.tready;
  assign last = beat && s_axis.tlast;
  assign s_hdr.ready = (!active_q || last) && room;
  assign take = s_hdr.valid && s_hdr.ready;

  always_comb begin
    reply = hdr;
    reply.peer_mac_valid = 1'b1;
  end

  always_ff @(posedge clk) begin
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (out_free) m_axis.tvalid <= beat && pass;
    if (beat && pass) begin
      m_axis.tdata <= s_axis.tdata;
      m_axis.tkeep <= s_axis.tkeep;
      m_axis.tlast <= s_axis.tlast;
      m_axis.tuser <= s_axis.tuser;
    end
    if (last) active_q <= 1'b0;
    if (take) begin
      active_q <= hdr.length != '0 && !(last && !active_q);
      pass_q   <= answer;
      if (answer) begin
        m_hdr.valid <= 1'b1;
        m_hdr.data  <= reply;
      end
    end
    if (rst) begin
      active_q <= 1'b0;
      m_hdr.valid <= 1'b0;
      m_axis.tvalid <= 1'b0;
    end
  end

  always_comb begin
    listen = '0;
    listen.every = enable && hwif_out.port.value.value == '0;
    listen.ports[0] = '{valid: enable, port: hwif_out.port.value.value};
  end

  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign busy = active_q || m_hdr.valid || m_axis.tvalid;

  // In the order of regs/echo.rdl.
  assign ev = {
    last && pass && s_axis.tuser[0],  // bad_payload
    take && !enable,  // drop_disabled
    take && enable && !match,  // drop_port
    take && answer,  // tx_datagrams
    take  // rx_datagrams
  };
endmodule
