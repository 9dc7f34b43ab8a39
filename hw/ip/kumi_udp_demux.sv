// SPDX-License-Identifier: Apache-2.0
//
// Distributes received UDP datagrams to kernels by local port.
//
// s_hdr, s_axis: udp_hdr_t and payload. m_hdr[i], m_axis[i]: those of kernel i.
// ports[i], port_valid[i]: the port of kernel i; the lowest matching i gets the datagram.
// Handshake: a record, then its payload. A kernel that does not accept its datagram blocks those
//   behind it (put a FIFO before it).
// Latency 1 cycle for record and payload; one beat and one datagram per cycle.
// Closed port: the datagram is dropped, ev_closed pulses. With REST = 1 there is none: the last
//   kernel gets every datagram that no other does, and its port does not count.
module kumi_udp_demux
  import kumi_ip_pkg::*;
#(
    parameter int PORTS = 2,    // kernels
    parameter bit REST  = 1'b0  // 1: the last one gets what the others do not
) (
    input  logic                              clk,
    input  logic                              rst,
    input  logic            [PORTS-1:0][15:0] ports,
    input  logic            [PORTS-1:0]       port_valid,
           kumi_rec_if.snk                    s_hdr,
           kumi_axis_if.snk                   s_axis,
           kumi_rec_if.src                    m_hdr     [PORTS],
           kumi_axis_if.src                   m_axis    [PORTS],
    output logic                              ev_closed
);
  if (s_hdr.W != UDP_HDR_W) begin : gen_check_hdr
    $fatal(0, "s_hdr is not a udp_hdr_t (%m)");
  end

  // ---- record: one register, then the selected kernel -----------------------------------------
  udp_hdr_t in;
  logic [PORTS-1:0] hit, dest_q, pay_dest_q, hdr_ready, axis_ready;
  logic [UDP_HDR_W-1:0] hdr_q;
  logic hdr_valid_q, take, pay_q, pay_end, out_free;

  assign in = udp_hdr_t'(s_hdr.data);

  always_comb begin
    hit = '0;
    for (int i = PORTS - 1; i >= 0; i--) begin
      if (port_valid[i] && ports[i] == in.local_port) hit = PORTS'(1) << i;
      if (REST && i == PORTS - 1) hit = PORTS'(1) << i;
    end
  end

  // The next record waits for the end of this payload.
  assign s_hdr.ready = (!hdr_valid_q || |(dest_q & hdr_ready)) && (!pay_q || pay_end);
  assign take = s_hdr.valid && s_hdr.ready;

  always_ff @(posedge clk) begin
    ev_closed <= take && hit == '0;
    if (|(dest_q & hdr_ready)) hdr_valid_q <= 1'b0;
    if (pay_end) pay_q <= 1'b0;
    if (take) begin
      hdr_q       <= s_hdr.data;
      dest_q      <= hit;
      pay_dest_q  <= hit;
      hdr_valid_q <= hit != '0;
      pay_q       <= in.length != '0;
    end
    if (rst) begin
      hdr_valid_q <= 1'b0;
      pay_q       <= 1'b0;
      ev_closed   <= 1'b0;
    end
  end

  // ---- payload --------------------------------------------------------------------------------
  logic [s_axis.DATA_W-1:0] data_q;
  logic [s_axis.KEEP_W-1:0] keep_q;
  logic [s_axis.USER_W-1:0] user_q;
  logic [PORTS-1:0] valid_q;
  logic last_q;

  assign out_free = (valid_q & ~axis_ready) == '0;
  assign s_axis.tready = pay_q && out_free;
  assign pay_end = s_axis.tvalid && s_axis.tready && s_axis.tlast;

  always_ff @(posedge clk) begin
    if (out_free) begin
      data_q  <= s_axis.tdata;
      keep_q  <= s_axis.tkeep;
      user_q  <= s_axis.tuser;
      last_q  <= s_axis.tlast;
      valid_q <= s_axis.tvalid && pay_q ? pay_dest_q : '0;
    end
    if (rst) valid_q <= '0;
  end

  for (genvar i = 0; i < PORTS; i++) begin : gen_port
    if (m_axis[i].DATA_W != s_axis.DATA_W || m_axis[i].USER_W != s_axis.USER_W
        || m_hdr[i].W != UDP_HDR_W) begin : gen_check_if
      $fatal(0, "an output differs in a width (%m)");
    end
    assign m_hdr[i].data    = hdr_q;
    assign m_hdr[i].valid   = hdr_valid_q && dest_q[i];
    assign hdr_ready[i]     = m_hdr[i].ready;
    assign m_axis[i].tdata  = data_q;
    assign m_axis[i].tkeep  = keep_q;
    assign m_axis[i].tuser  = user_q;
    assign m_axis[i].tlast  = last_q;
    assign m_axis[i].tvalid = valid_q[i];
    assign m_axis[i].tid    = '0;
    assign m_axis[i].tdest  = '0;
    assign axis_ready[i]    = m_axis[i].tready;
  end

  logic unused;
  assign unused = ^in;
endmodule
