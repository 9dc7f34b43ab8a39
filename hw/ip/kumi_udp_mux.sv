// SPDX-License-Identifier: Apache-2.0
//
// Merges the datagrams of several kernels, record and payload together, round robin.
//
// s_hdr[i], s_axis[i]: udp_hdr_t and payload of kernel i; m_hdr, m_axis: those of the selected
//   kernel.
// Handshake: records are arbitrated round robin; the payload of the selected record passes whole
//   before the next selection. A kernel must follow its record with its payload.
// Latency 1 cycle for the record, 0 for the payload; one beat and one datagram per cycle.
module kumi_udp_mux
  import kumi_ip_pkg::*;
#(
    parameter int PORTS = 2  // kernels
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hdr[PORTS],
    kumi_axis_if.snk s_axis[PORTS],
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int USER_W = m_axis.USER_W;
  localparam int IW = PORTS > 1 ? $clog2(PORTS) : 1;

  if (m_hdr.W != UDP_HDR_W) begin : gen_check_hdr
    $fatal(0, "m_hdr is not a udp_hdr_t (%m)");
  end

  logic [PORTS-1:0][UDP_HDR_W-1:0] hdr_data;
  logic [PORTS-1:0] hdr_valid, valid, last;
  logic [PORTS-1:0][  DATA_W-1:0] data;
  logic [PORTS-1:0][DATA_W/8-1:0] keep;
  logic [PORTS-1:0][  USER_W-1:0] user;

  logic [IW-1:0] pick, turn_q, sel_q;  // turn_q: served last
  logic take, pay_q, pay_end, hdr_valid_q;
  logic [UDP_HDR_W-1:0] hdr_q;
  udp_hdr_t picked;

  // The next requester after turn_q.
  always_comb begin
    pick = turn_q;
    for (int k = PORTS; k >= 1; k--) begin
      if (hdr_valid[(32'(turn_q)+k)%PORTS]) pick = IW'((32'(turn_q) + k) % PORTS);
    end
  end

  assign picked = udp_hdr_t'(hdr_data[pick]);
  assign take   = hdr_valid != '0 && (!hdr_valid_q || m_hdr.ready) && (!pay_q || pay_end);

  always_ff @(posedge clk) begin
    if (m_hdr.ready) hdr_valid_q <= 1'b0;
    if (pay_end) pay_q <= 1'b0;
    if (take) begin
      hdr_valid_q <= 1'b1;
      hdr_q       <= hdr_data[pick];
      sel_q       <= pick;
      turn_q      <= pick;
      pay_q       <= picked.length != '0;
    end
    if (rst) begin
      hdr_valid_q <= 1'b0;
      pay_q       <= 1'b0;
      turn_q      <= '0;
    end
  end

  for (genvar i = 0; i < PORTS; i++) begin : gen_port
    if (s_axis[i].DATA_W != DATA_W || s_axis[i].USER_W != USER_W || s_hdr[i].W != UDP_HDR_W
        ) begin : gen_check_if
      $fatal(0, "an input differs in a width (%m)");
    end
    assign hdr_data[i]      = s_hdr[i].data;
    assign hdr_valid[i]     = s_hdr[i].valid;
    assign s_hdr[i].ready   = take && pick == IW'(i);
    assign data[i]          = s_axis[i].tdata;
    assign keep[i]          = s_axis[i].tkeep;
    assign user[i]          = s_axis[i].tuser;
    assign valid[i]         = s_axis[i].tvalid;
    assign last[i]          = s_axis[i].tlast;
    assign s_axis[i].tready = pay_q && sel_q == IW'(i) && m_axis.tready;
  end

  assign m_hdr.data    = hdr_q;
  assign m_hdr.valid   = hdr_valid_q;
  assign m_axis.tdata  = data[sel_q];
  assign m_axis.tkeep  = keep[sel_q];
  assign m_axis.tuser  = user[sel_q];
  assign m_axis.tlast  = last[sel_q];
  assign m_axis.tvalid = pay_q && valid[sel_q];
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;
  assign pay_end       = m_axis.tvalid && m_axis.tready && m_axis.tlast;

  logic unused;
  assign unused = &picked;
endmodule
