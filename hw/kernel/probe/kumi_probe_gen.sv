// SPDX-License-Identifier: Apache-2.0
//
// Generates probe payloads (see kumi_probe_pkg).
//
// req_*: one probe per handshake; length 16..8972 bytes. m_axis: its frame.
// Time stamp: `now` + 2 at the handshake, the cycle in which the first beat is offered unless the
//   previous frame is still being sent.
// Latency 2 cycles from the request to the first beat; one beat a cycle, also from frame to frame.
// Bad input: a length below 16 is the caller's error.
module kumi_probe_gen
  import kumi_probe_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [63:0] now,
    input logic req_valid,
    output logic req_ready,
    input logic [15:0] req_length,
    input logic [15:0] req_flow,
    input logic [31:0] req_seq,
    kumi_axis_if.src m_axis,
    output logic busy  // within a frame
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int BYTES = DATA_W / 8;
  // Header bits of the first beat, and beats that hold the header and nothing else.
  localparam int HDR_BITS = (DATA_W < 128) ? DATA_W : 128;
  localparam int HDR_BEATS = (DATA_W > 128) ? 0 : 128 / DATA_W;

  if (DATA_W != 64 && DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end

  // The current frame.
  logic active_q, first_q;
  logic [ 15:0] left_q;  // bytes that are still to go
  logic [127:0] hdr_q;  // header bytes that are still to go, the next one in bits 7:0
  logic [  1:0] hdr_beats_q;  // beats of nothing but header that are still to go
  logic [ 30:0] state_q;

  logic last, out_free, step, load;
  assign last = left_q <= 16'(BYTES);
  assign out_free = !m_axis.tvalid || m_axis.tready;
  assign step = active_q && out_free;
  assign req_ready = !active_q || (step && last);
  assign load = req_valid && req_ready;

  probe_hdr_t hdr;
  assign hdr = '{mark: PROBE_MARK, flow : req_flow, seq: req_seq, stamp: now + 64'd2};

  logic [ DATA_W-1:0] prbs;
  logic [DATA_W+30:0] prbs_next;
  kumi_prbs31 #(
      .W(DATA_W)
  ) u_prbs (
      .state(state_q),
      .bits (prbs),
      .next (prbs_next)
  );

  logic [DATA_W-1:0] data;
  logic [30:0] state;
  if (DATA_W > 128) begin : gen_mixed
    assign data  = first_q ? {prbs[DATA_W-129:0], hdr_q} : prbs;
    assign state = first_q ? prbs_next[DATA_W-128+:31] : prbs_next[DATA_W+:31];
    logic unused;
    assign unused = ^{prbs_next, hdr_beats_q};
  end else begin : gen_apart
    assign data  = (hdr_beats_q != '0) ? hdr_q[DATA_W-1:0] : prbs;
    assign state = (hdr_beats_q != '0) ? state_q : prbs_next[DATA_W+:31];
    logic unused;
    assign unused = ^{prbs_next, first_q};
  end

  always_ff @(posedge clk) begin
    if (out_free) m_axis.tvalid <= active_q;
    if (step) begin
      m_axis.tdata <= data;
      m_axis.tlast <= last;
      for (int i = 0; i < BYTES; ++i) m_axis.tkeep[i] <= !last || 16'(i) < left_q;
      left_q  <= left_q - 16'(BYTES);
      hdr_q   <= hdr_q >> HDR_BITS;
      state_q <= state;
      first_q <= 1'b0;
      if (hdr_beats_q != '0) hdr_beats_q <= hdr_beats_q - 1'b1;
      if (last) active_q <= 1'b0;
    end
    if (load) begin
      active_q <= 1'b1;
      first_q <= 1'b1;
      left_q <= req_length;
      hdr_q <= probe_swap(hdr);
      hdr_beats_q <= 2'(HDR_BEATS);
      state_q <= probe_seed(hdr);
    end
    if (rst) begin
      active_q <= 1'b0;
      m_axis.tvalid <= 1'b0;
    end
  end

  assign busy = active_q || m_axis.tvalid;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
endmodule
