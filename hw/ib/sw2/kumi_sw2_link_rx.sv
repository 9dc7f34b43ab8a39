// SPDX-License-Identifier: Apache-2.0
//
// Turns SW2 flits into packets, a buffer per virtual channel: a packet leaves when it is whole, and
// not at all when a flit of it is missing.
//
// in_*: flits with right information, at most one in two cycles. m_axis[v]: packets of channel v,
//   tdest v. depth[v]: beats in the buffer of v.
// Bad input: a packet with fewer or more flits than its head says, or an illegal length, is
//   dropped, ev_bad; a flit outside a packet is dropped, ev_stray; a packet for which there is no
//   space is dropped, ev_overrun (only after a sender that ignored stop).
// Latency: in to the last beat in the buffer 2 cycles, from there to m_axis 2 cycles.
module kumi_sw2_link_rx
  import kumi_sw2_pkg::*;
#(
    parameter  int BEATS = 128,               // of buffer per channel, a power of two
    localparam int D_W   = $clog2(BEATS) + 1
) (
    input logic clk,
    input logic rst,
    input logic in_valid,
    input flit_t in,
    kumi_axis_if.src m_axis[VCS],
    output logic [VCS-1:0][D_W-1:0] depth,
    output logic ev_bad,
    output logic ev_stray,
    output logic ev_overrun
);
  // ---- packets ---------------------------------------------------------------------------------
  // left_q: flits of the packet that are still to come; zero: between packets.
  logic [VCS-1:0][6:0] left_q;
  logic [VCS-1:0] skip_q;  // the packet's head was wrong: its flits are passed over
  logic [6:0] left;
  logic flit_q, open, head_good, cut, put, put_last, put_bad;
  flit_t f_q;
  sw2_head_t head;

  assign head = sw2_head_t'(f_q.data);
  assign left = left_q[f_q.vc];
  assign open = left != '0;
  assign head_good = len_good(head.len);
  // A head inside a packet: that packet is ended first, in a cycle of its own.
  assign cut = f_q.kind == FLIT_HEAD && open;
  always_comb begin
    put = 1'b0;
    put_last = 1'b0;
    put_bad = 1'b0;
    if (f_q.kind == FLIT_HEAD) begin
      put = open || head_good;
      put_last = open;
      put_bad = open;
    end else if (open) begin
      put = 1'b1;
      put_last = f_q.kind == FLIT_TAIL || left == 7'd1;
      put_bad = (f_q.kind == FLIT_TAIL) != (left == 7'd1);
    end
  end

  always_ff @(posedge clk) begin
    if (!flit_q || !cut) flit_q <= in_valid && in.kind != FLIT_IDLE;
    if (!flit_q || !cut) f_q <= in;
    if (flit_q) begin
      if (put_last) left_q[f_q.vc] <= '0;
      else if (f_q.kind == FLIT_HEAD) left_q[f_q.vc] <= head_good ? beats_of(head.len) - 1'b1 : '0;
      else if (open) left_q[f_q.vc] <= left - 1'b1;
      if (f_q.kind == FLIT_HEAD) skip_q[f_q.vc] <= !cut && !head_good;
      else if (f_q.kind == FLIT_TAIL) skip_q[f_q.vc] <= 1'b0;
    end
    ev_bad   <= flit_q && ((put && put_bad) || (f_q.kind == FLIT_HEAD && !cut && !head_good));
    ev_stray <= flit_q && f_q.kind != FLIT_HEAD && !open && !skip_q[f_q.vc];
    if (rst) begin
      flit_q   <= 1'b0;
      left_q   <= '0;
      skip_q   <= '0;
      ev_bad   <= 1'b0;
      ev_stray <= 1'b0;
    end
  end

  // ---- buffers ---------------------------------------------------------------------------------
  kumi_sw2_vc_buf #(
      .BEATS(BEATS)
  ) u_buffers (
      .clk,
      .rst,
      .in_valid(flit_q && put),
      .in_vc(f_q.vc),
      .in_data(f_q.data),
      .in_last(put_last),
      .in_bad(put_bad),
      .m_axis,
      .depth,
      .ev_overrun
  );

  logic unused;
  assign unused = ^{head, in.stop, f_q.stop};
endmodule
