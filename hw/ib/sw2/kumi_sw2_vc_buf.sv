// SPDX-License-Identifier: Apache-2.0
//
// Receive buffers of the SW2 channels: a packet leaves when it is whole, and not at all when its
// last beat is marked bad.
//
// in_*: a beat of a packet of channel in_vc, with in_last and then in_bad; the packets of a channel
//   are not mixed. m_axis[v]: packets of channel v, tdest v. depth[v]: beats in the buffer of v.
// ev_overrun: a packet for which there was no space was dropped.
// Latency, last beat in to the first beat out: 2 cycles.
module kumi_sw2_vc_buf
  import kumi_sw2_pkg::*;
#(
    parameter  int BEATS = 128,               // of 8 bytes per channel, a power of two
    localparam int D_W   = $clog2(BEATS) + 1
) (
    input logic clk,
    input logic rst,
    input logic in_valid,
    input logic [1:0] in_vc,
    input logic [63:0] in_data,
    input logic in_last,
    input logic in_bad,
    kumi_axis_if.src m_axis[VCS],
    output logic [VCS-1:0][D_W-1:0] depth,
    output logic ev_overrun
);
  logic [VCS-1:0] full, oversize, good, bad;

  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    kumi_axis_if #(
        .DATA_W(64),
        .DEST_W(2)
    ) beat ();
    kumi_rec_if #(.W(1)) len ();

    assign beat.tdata  = in_data;
    assign beat.tkeep  = '1;
    assign beat.tvalid = in_valid && in_vc == 2'(v);
    assign beat.tlast  = in_last;
    assign beat.tuser  = in_bad;
    assign beat.tid    = '0;
    assign beat.tdest  = 2'(v);
    assign len.ready   = 1'b1;

    kumi_axis_frame_fifo #(
        .DEPTH(BEATS),
        .STYLE(2)
    ) u_buffer (
        .clk,
        .rst,
        .s_axis(beat),
        .m_axis(m_axis[v]),
        .m_len(len),
        .depth(depth[v]),
        .ev_good(good[v]),
        .ev_bad(bad[v]),
        .ev_full(full[v]),
        .ev_oversize(oversize[v])
    );
  end
  assign ev_overrun = (|full) || (|oversize);

  logic unused;
  assign unused = ^{good, bad};
endmodule
