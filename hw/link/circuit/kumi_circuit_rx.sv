// SPDX-License-Identifier: Apache-2.0
//
// Depacketiser: words of a circuit to frames (the counterpart of kumi_circuit_tx).
//
// s_axis: words, in order; some may be missing or wrong. It stalls only while m_axis stalls.
// m_axis: frames. tuser[0] with tlast: wrong CRC-32, or truncated.
// Latency: word in to beat out 2 cycles; the last one 3 cycles after the CRC is known (kumi_crc32 +
//   3). Throughput: one word per cycle, packets of any length back to back.
// Bad input: in place of a header, words without a valid one (check failed, or a length of 0 or
//   above MAX_BYTES) are skipped. A packet that loses words absorbs those of the next packet and
//   ends bad; the one after it is found. If no word arrives for TIMEOUT cycles inside a packet, it
//   is ended with one more zero byte and marked bad. So it never waits forever and never passes a
//   corrupt packet as good.
module kumi_circuit_rx
  import kumi_circuit_pkg::*;
#(
    parameter int MAX_BYTES = 65535,   // longest packet
    parameter int TIMEOUT   = 1 << 20  // cycles
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output circuit_rx_events_t ev
);
  localparam int W = s_axis.DATA_W;
  localparam int KEEP_W = W / 8;
  localparam int WAIT_W = $clog2(TIMEOUT + 1);
  localparam int QUEUE = 16;

  if (W < 64 || m_axis.DATA_W != W) begin : gen_check_w
    $fatal(0, "s_axis and m_axis must have the same width of at least 64 bits (%m)");
  end
  if (MAX_BYTES < 1 || MAX_BYTES > 65535 || TIMEOUT < 2) begin : gen_check
    $fatal(0, "MAX_BYTES must be 1 to 65535, TIMEOUT at least 2 (%m)");
  end

  // ---- Packets ----------------------------------------------------------------------------------
  circuit_header_t head;
  logic inside_q, hunting_q, is_head, word, last, truncated, step;
  logic [15:0] left_q, left;  // bytes of the packet from this word on
  logic [WAIT_W-1:0] wait_q;
  logic [KEEP_W-1:0] keep;
  logic queue_ready, crc_room_q, run;

  assign head = circuit_header_t'(s_axis.tdata[63:0]);
  assign is_head = head.check == head_check(
      {head.bytes, head.crc}
  ) && head.bytes != '0 && {1'b0, head.bytes} < 17'(MAX_BYTES + 1) &&
      (W == 64 || (s_axis.tdata >> 64) == '0);
  assign run = queue_ready && crc_room_q;
  assign truncated = inside_q && wait_q == WAIT_W'(TIMEOUT) && run && !s_axis.tvalid;
  assign s_axis.tready = run;
  assign word = s_axis.tvalid && run;
  assign left = left_q;
  assign last = truncated || 32'(left) <= KEEP_W;
  assign step = inside_q && (word || truncated);

  always_comb begin
    for (int i = 0; i < KEEP_W; i++) keep[i] = !last || (truncated ? i == 0 : 32'(left) > i);
  end

  circuit_rx_events_t ev_q;
  always_ff @(posedge clk) begin
    ev_q.hunt <= 1'b0;
    ev_q.truncated <= truncated && !rst;
    if (step) begin
      left_q <= left - 16'(KEEP_W);
      if (last) inside_q <= 1'b0;
    end else if (word) begin
      inside_q  <= is_head;
      hunting_q <= !is_head;
      left_q    <= head.bytes;
      ev_q.hunt <= !is_head && !hunting_q && !rst;
    end
    wait_q <= !inside_q || word || truncated ? '0
        : wait_q == WAIT_W'(TIMEOUT) ? wait_q : wait_q + 1'b1;
    if (rst) begin
      inside_q  <= 1'b0;
      hunting_q <= 1'b0;
      wait_q    <= '0;
    end
  end

  // ---- Words wait here, the last of a packet until its verdict is there -------------------------
  logic [W-1:0] out_data;
  logic [KEEP_W-1:0] out_keep;
  logic out_last, out_valid, out_take;
  logic [$clog2(QUEUE):0] queue_depth;

  kumi_fifo #(
      .W(W + KEEP_W + 1),
      .DEPTH(QUEUE)
  ) u_queue (
      .clk,
      .rst,
      .s_data ({last, keep, truncated ? {W{1'b0}} : s_axis.tdata}),
      .s_valid(step),
      .s_ready(queue_ready),
      .m_data ({out_last, out_keep, out_data}),
      .m_valid(out_valid),
      .m_ready(out_take),
      .depth  (queue_depth)
  );

  logic crc_done, want_valid, want_ready, verdict_valid, verdict_take, verdict_ready, bad;
  logic [31:0] crc, want;
  logic [$clog2(QUEUE):0] want_depth, verdict_depth, under_way_q;

  kumi_crc32 #(
      .DATA_W(W)
  ) u_crc (
      .clk,
      .rst,
      .in_valid (step),
      .in_last  (last),
      .in_data  (truncated ? '0 : s_axis.tdata),
      .in_keep  (keep),
      .out_valid(crc_done),
      .out_crc  (crc)
  );

  // Expected CRC, {packet was truncated, value}, from the last word to the CRC result.
  logic [31:0] head_crc_q;
  logic want_cut;
  always_ff @(posedge clk) if (word && !inside_q) head_crc_q <= head.crc;

  kumi_fifo #(
      .W(33),
      .DEPTH(QUEUE)
  ) u_want (
      .clk,
      .rst,
      .s_data ({truncated, head_crc_q}),
      .s_valid(step && last),
      .s_ready(want_ready),
      .m_data ({want_cut, want}),
      .m_valid(want_valid),
      .m_ready(crc_done),
      .depth  (want_depth)
  );

  kumi_fifo #(
      .W(1),
      .DEPTH(QUEUE)
  ) u_verdict (
      .clk,
      .rst,
      .s_data (crc != want || want_cut),
      .s_valid(crc_done),
      .s_ready(verdict_ready),
      .m_data (bad),
      .m_valid(verdict_valid),
      .m_ready(verdict_take),
      .depth  (verdict_depth)
  );

  // Packets whose last word went in and whose verdict did not come out: both fifos have room.
  always_ff @(posedge clk) begin
    under_way_q <= under_way_q + ($clog2(
        QUEUE
    ) + 1)'(step && last) - ($clog2(
        QUEUE
    ) + 1)'(verdict_valid && verdict_take);
    crc_room_q <= 32'(under_way_q) < QUEUE - 3 && !rst;
    if (rst) under_way_q <= '0;
  end

  assign m_axis.tvalid = out_valid && (!out_last || verdict_valid);
  assign m_axis.tdata = out_data;
  assign m_axis.tkeep = out_keep;
  assign m_axis.tlast = out_last;
  assign m_axis.tuser = m_axis.USER_W'(out_last && bad);
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign out_take = m_axis.tready && (!out_last || verdict_valid);
  assign verdict_take = m_axis.tready && out_valid && out_last;

  always_ff @(posedge clk) begin
    ev_q.good <= crc_done && crc == want && !want_cut && !rst;
    ev_q.bad  <= crc_done && crc != want && !want_cut && !rst;
  end
  assign ev = ev_q;

  logic unused;
  assign unused = ^{s_axis.tkeep, s_axis.tlast, s_axis.tuser, s_axis.tid, s_axis.tdest, queue_depth,
                    want_depth, verdict_depth};

  `include "kumi_assert.svh"
  `KUMI_ASSERT(a_room, (!(step && last) || want_ready) && (!crc_done || verdict_ready))
  `KUMI_ASSERT(a_want, !crc_done || want_valid)
endmodule
