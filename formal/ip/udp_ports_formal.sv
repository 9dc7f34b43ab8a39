// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_udp_demux and kumi_udp_mux in series, with two kernels between them that are
// wires.
//
// Proved: for each kernel, payload frames never precede their records (a payload beat is offered
//   only after its record, and the next record only after the previous payload was accepted), and
//   the same at the output of the multiplexer.
// Assumed at the input: the stream contract, and that each record with a length is followed by one
//   payload frame.
`include "kumi_assert.svh"
module udp_ports_formal
  import kumi_ip_pkg::*;
(
    input logic        clk,
    input logic        rst,
    input logic        hdr_valid,
    input logic [15:0] hdr_port,
    input logic        hdr_empty,
    input logic        valid,
    input logic        last,
    input logic        out_hdr_ready,
    input logic        out_ready
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  kumi_rec_if #(.W(UDP_HDR_W)) s_hdr ();
  kumi_rec_if #(.W(UDP_HDR_W)) k_hdr[2] ();
  kumi_rec_if #(.W(UDP_HDR_W)) m_hdr ();
  kumi_axis_if #(.DATA_W(8)) s_axis ();
  kumi_axis_if #(.DATA_W(8)) k_axis[2] ();
  kumi_axis_if #(.DATA_W(8)) m_axis ();
  udp_hdr_t hdr, out;
  logic ev_closed;

  always_comb begin
    hdr = '0;
    hdr.local_port = hdr_port;
    hdr.length = hdr_empty ? 16'd0 : 16'd1;
  end

  assign s_hdr.data = hdr;
  assign s_hdr.valid = hdr_valid;
  assign s_axis.tdata = '0;
  assign s_axis.tkeep = '1;
  assign s_axis.tuser = '0;
  assign s_axis.tid = '0;
  assign s_axis.tdest = '0;
  assign s_axis.tlast = last;
  assign s_axis.tvalid = valid;
  assign m_hdr.ready = out_hdr_ready;
  assign m_axis.tready = out_ready;
  assign out = udp_hdr_t'(m_hdr.data);

  kumi_udp_demux #(
      .PORTS(2)
  ) u_demux (
      .clk,
      .rst,
      .ports({16'd9, 16'd7}),
      .port_valid(2'b11),
      .s_hdr,
      .s_axis,
      .m_hdr(k_hdr),
      .m_axis(k_axis),
      .ev_closed
  );

  kumi_udp_mux #(
      .PORTS(2)
  ) u_mux (
      .clk,
      .rst,
      .s_hdr (k_hdr),
      .s_axis(k_axis),
      .m_hdr,
      .m_axis
  );

  // Records (with payload) shown at the output less payload frames ended there: 0, 1 or 2.
  logic shown_q;  // the record at the output has been counted
  logic [1:0] owed_q, owed;
  logic out_end;
  assign owed = owed_q + 2'(m_hdr.valid && !shown_q && out.length != '0);
  assign out_end = m_axis.tvalid && out_ready && m_axis.tlast;

  always_ff @(posedge clk) begin
    shown_q <= m_hdr.valid && !out_hdr_ready;
    owed_q  <= owed - 2'(out_end);
    if (rst) begin
      shown_q <= 1'b0;
      owed_q  <= '0;
    end
  end

  `KUMI_ASSERT(a_no_payload_ahead, !m_axis.tvalid || owed != '0)
  `KUMI_ASSERT(a_one_at_a_time, owed <= 2'd1)
  // The multiplexer's own note of a payload to come says the same.
  `KUMI_ASSERT(a_owed, owed == 2'(u_mux.pay_q))
  `KUMI_ASSERT(a_shown, !shown_q || m_hdr.valid)
  // Between the two: a kernel port holds a record only before its payload has passed.
  `KUMI_ASSERT(a_one_kernel, !(u_demux.valid_q[0] && u_demux.valid_q[1]))
  `KUMI_ASSERT(a_one_dest, $onehot0(u_demux.pay_dest_q) || !u_demux.pay_q)
  `KUMI_ASSERT(a_taken_whole, !u_demux.hdr_valid_q || $onehot(u_demux.dest_q))
  `KUMI_COVER(c_second, owed_q == '0 && out_end && m_hdr.valid)

  logic unused;
  assign unused = &{ev_closed, out};
endmodule
