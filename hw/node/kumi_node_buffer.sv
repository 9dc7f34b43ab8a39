// SPDX-License-Identifier: Apache-2.0
//
// Frame buffer of a node's Ethernet port, or wires.
//
// s_axis, m_axis: Ethernet frames, AXI4-Stream. BYTES > 0: a frame is forwarded when it is
//   complete; frames that are marked bad, or longer than the buffer, are dropped and pulse ev_bad;
//   with DROP_FULL frames that do not fit are dropped and pulse ev_full, otherwise the sender
//   waits.
// BYTES = 0: wires.
module kumi_node_buffer #(
    parameter int BYTES     = 16384,  // room, a power of two of at least one beat; 0: none
    parameter bit DROP_FULL = 1'b0    // 1: drop when full, 0: make the sender wait
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_full,
    output logic ev_bad
);
  if (BYTES > 0) begin : gen_fifo
    localparam int DEPTH = BYTES / (s_axis.DATA_W / 8);
    kumi_rec_if #(.W(16)) len ();
    logic [$clog2(DEPTH):0] depth;
    logic good, bad, oversize;

    kumi_axis_frame_fifo #(
        .DEPTH(DEPTH),
        .DROP_FULL(DROP_FULL),
        .DROP_BAD(1'b1)
    ) u_fifo (
        .clk,
        .rst,
        .s_axis,
        .m_axis,
        .m_len(len),
        .depth,
        .ev_good(good),
        .ev_bad(bad),
        .ev_full,
        .ev_oversize(oversize)
    );
    assign len.ready = 1'b1;
    assign ev_bad = bad || oversize;

    logic unused;
    assign unused = ^{depth, good};
  end else begin : gen_wire
    assign m_axis.tdata = s_axis.tdata;
    assign m_axis.tkeep = s_axis.tkeep;
    assign m_axis.tvalid = s_axis.tvalid;
    assign s_axis.tready = m_axis.tready;
    assign m_axis.tlast = s_axis.tlast;
    assign m_axis.tuser = s_axis.tuser;
    assign m_axis.tid = s_axis.tid;
    assign m_axis.tdest = s_axis.tdest;
    assign ev_full = 1'b0;
    assign ev_bad = 1'b0;

    logic unused;
    assign unused = ^{clk, rst, DROP_FULL};
  end
endmodule
