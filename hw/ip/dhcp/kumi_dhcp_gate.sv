// SPDX-License-Identifier: Apache-2.0
//
// Drops what kernels send while the node has no address.
//
// s_hdr, s_axis -> m_hdr, m_axis: records and payloads (kumi_rec_if). length: payload bytes of the
//   record at s_hdr. shut: looked at when a record is taken; a record and its payload are passed on
//   whole or dropped whole (ev_drop, a one-cycle pulse).
// Latency: the record 1 cycle; the payload follows its record and has no register. One beat a
//   cycle; between two packets no cycle is lost.
module kumi_dhcp_gate (
    input logic clk,
    input logic rst,
    input logic shut,
    input logic [15:0] length,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic ev_drop
);
  if (s_hdr.W != m_hdr.W || s_axis.DATA_W != m_axis.DATA_W) begin : gen_check_if
    $fatal(0, "input and output differ in a width (%m)");
  end

  logic [m_hdr.W-1:0] hdr_q;
  logic hdr_valid_q, pay_q, drop_q, pay_end, take;

  assign pay_end = s_axis.tvalid && s_axis.tready && s_axis.tlast;
  assign s_hdr.ready = (!hdr_valid_q || m_hdr.ready) && (!pay_q || pay_end);
  assign take = s_hdr.valid && s_hdr.ready;

  always_ff @(posedge clk) begin
    ev_drop <= take && shut;
    if (m_hdr.ready) hdr_valid_q <= 1'b0;
    if (pay_end) pay_q <= 1'b0;
    if (take) begin
      hdr_q       <= s_hdr.data;
      hdr_valid_q <= !shut;
      drop_q      <= shut;
      pay_q       <= length != '0;
    end
    if (rst) begin
      hdr_valid_q <= 1'b0;
      pay_q       <= 1'b0;
      ev_drop     <= 1'b0;
    end
  end

  assign m_hdr.data    = hdr_q;
  assign m_hdr.valid   = hdr_valid_q;

  assign m_axis.tvalid = s_axis.tvalid && pay_q && !drop_q;
  assign s_axis.tready = pay_q && (drop_q || m_axis.tready);
  assign m_axis.tdata  = s_axis.tdata;
  assign m_axis.tkeep  = s_axis.tkeep;
  assign m_axis.tlast  = s_axis.tlast;
  assign m_axis.tuser  = s_axis.tuser;
  assign m_axis.tid    = s_axis.tid;
  assign m_axis.tdest  = s_axis.tdest;
endmodule
