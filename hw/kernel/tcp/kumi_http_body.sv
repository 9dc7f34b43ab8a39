// SPDX-License-Identifier: Apache-2.0
//
// Bodies between kumi_http and its kernel: a request's bytes in, a response's bytes out.
//
// put: put_byte is the next byte of the request's body; put_end: it is over (whole, or not: then
//   put_bad). At most `room` bytes may be put; dest goes with them as tdest. m_body, s_body: one
//   frame for each body, a byte a beat; a beat without a byte ends it, with tuser[0] if it is
//   incomplete or wrong.
// have: bytes of the response that wait; all: no more will come; bad: as s_body said, with all.
//   take: one of them goes.
// clear: the response that waits is dropped, and what comes of it until its end; `idle` is high
//   when that is over and the next may begin.
// Throughput: a byte a cycle each way. Handshakes: valid/ready, held.
`include "kumi_assert.svh"
module kumi_http_body #(
    parameter int DEPTH = 2048  // bytes that wait in each direction, a power of two
) (
    input logic clk,
    input logic rst,
    input logic put,
    input logic [7:0] put_byte,
    input logic put_end,
    input logic put_bad,
    input logic [3:0] dest,
    output logic [15:0] room,
    kumi_axis_if.src m_body,
    kumi_axis_if.snk s_body,
    output logic [15:0] have,
    output logic all,
    output logic bad,
    output logic out_valid,
    output logic [7:0] out_data,
    input logic take,
    input logic clear,
    output logic idle
);
  localparam int DEPTH_W = $clog2(DEPTH) + 1;

  if (m_body.DATA_W != 8 || s_body.DATA_W != 8 || m_body.DEST_W != 4) begin : gen_check
    $fatal(0, "bodies are of a byte a beat, with four bits of tdest (%m)");
  end

  // ---- request ---------------------------------------------------------------------------------
  logic [9:0] in_data;
  logic [DEPTH_W-1:0] in_depth, out_depth;
  logic in_ready, open_q;

  kumi_fifo #(
      .W(10),
      .DEPTH(DEPTH)
  ) u_in (
      .clk,
      .rst,
      .s_data ({put_end, put_bad, put_byte}),
      .s_valid(put || put_end),
      .s_ready(in_ready),
      .m_data (in_data),
      .m_valid(m_body.tvalid),
      .m_ready(m_body.tready),
      .depth  (in_depth)
  );
  assign m_body.tdata = in_data[7:0];
  assign m_body.tlast = in_data[9];
  assign m_body.tkeep = !in_data[9];
  assign m_body.tuser = (m_body.USER_W)'(in_data[9] && in_data[8]);
  assign m_body.tid   = '0;
  assign m_body.tdest = dest;

  always_ff @(posedge clk) begin
    room <= 16'(DEPTH - 8) < 16'(in_depth) ? '0 : 16'(DEPTH - 8) - 16'(in_depth);
  end

  // ---- response --------------------------------------------------------------------------------
  // open_q: the kernel owes an end.
  logic drop_q, owed, out_ready, kept, end_in;

  assign kept = s_body.tvalid && s_body.tkeep[0] && !drop_q && !all;
  assign s_body.tready = !all && (drop_q || out_ready);
  assign owed = (open_q || put || put_end) && !all && !end_in;
  assign end_in = s_body.tvalid && s_body.tready && s_body.tlast;

  kumi_fifo #(
      .W(8),
      .DEPTH(DEPTH)
  ) u_out (
      .clk,
      .rst(rst || clear),
      .s_data(s_body.tdata),
      .s_valid(kept && out_ready),
      .s_ready(out_ready),
      .m_data(out_data),
      .m_valid(out_valid),
      .m_ready(take),
      .depth(out_depth)
  );

  always_ff @(posedge clk) begin
    if (put || put_end) open_q <= 1'b1;
    if (end_in) begin
      all <= !drop_q;
      bad <= s_body.tuser[0];
      drop_q <= 1'b0;
      if (drop_q) open_q <= 1'b0;
    end
    if (clear) begin
      all <= 1'b0;
      open_q <= owed;
      drop_q <= owed;
    end
    // A byte that comes counts in the cycle after; bytes in the output registers wait with it.
    if (kept && out_ready && !take) have <= have + 1'b1;
    else if (take && !(kept && out_ready)) have <= have - 1'b1;
    if (clear || rst) have <= '0;
    if (rst) begin
      all <= 1'b0;
      drop_q <= 1'b0;
      open_q <= 1'b0;
    end
  end
  assign idle = !open_q && !all;

  `KUMI_ASSERT(a_room, !(put || put_end) || in_ready)
  `KUMI_ASSERT(a_take, !take || have != '0)

  logic unused;
  assign unused = ^{in_ready, out_depth, s_body.tid, s_body.tdest, s_body.tuser};
endmodule
