// SPDX-License-Identifier: Apache-2.0
//
// Write side of the receive memory: writes received payload to the rings and forwards each command
//   once all bytes of earlier commands are in memory.
//
// s_axis: payload frames; s_cmd: commands, in the same order. A command is accepted with the last
//   beat of its frame, which has a register here. A frame shorter than its command raises ev_short;
//   the rest of that part of the ring is undefined.
// m_axi: one burst per 1 KiB page of the ring at most; data follow at the rate they arrive.
// m_*: the command (tcp_rx_cmd_t); m_bad: a burst of it failed. EARLY: once its last W was
//   accepted; else after its B.
// Latency: 3 cycles from a frame of one beat to its last W (4 if it spans two in memory), 1 from
//   there (EARLY), or 2 from B, to m_valid; 4 from the command at least. Throughput: one beat of
//   memory or payload per cycle, no gap between frames.
module kumi_tcp_rx_write
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W      = 64,     // bits of a beat
    parameter int ADDR_W      = 32,     // bits of an address
    parameter int RX_RING     = 16384,  // bytes of a ring, a power of two
    parameter int BURST_BYTES = 1024,   // longest burst, a power of two up to 4096, 2 to 256 beats
    parameter int OPEN        = 256,    // outstanding commands, a power of two
    parameter int EARLY       = 0       // 1: memory is ordered without B (kumi_axi_ram)
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] base,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_cmd,
    kumi_axi_if.mst_wr m_axi,
    output tcp_rx_cmd_t m_cmd,
    output logic m_bad,
    output logic m_valid,
    input logic m_ready,
    output logic idle,
    output logic ev_short,
    output logic ev_error
);
  localparam int BYTES = DATA_W / 8;
  localparam int RING_W = $clog2(RX_RING);
  localparam int BURSTS_W = 17 - $clog2(BURST_BYTES);

  // Fields of a command that outlive its frame.
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic notify;
    logic opened;
    logic fin;
    logic ended;
    logic discard;
    logic [31:0] in_order_end;
    tcp_reason_e reason;
    tcp_tuple_t tuple;
  } rx_cmd_rest_t;

  tcp_rx_cmd_t cmd;
  rx_cmd_rest_t rest, out;
  logic tells, start, job_ready, keep_room, keep_valid, cut_valid, cut_long;
  logic [ADDR_W-1:RING_W] hi;
  logic [BURSTS_W-1:0] bursts;
  logic took, full;
  logic [$clog2(BYTES):0] gain;
  logic [$clog2(BYTES):0] have;

  assign cmd = s_cmd.data;
  assign hi = base[ADDR_W-1:RING_W] + (ADDR_W - RING_W)'(cmd.sid);
  assign tells = cmd.notify || cmd.opened || cmd.fin || cmd.ended || cmd.discard;
  assign rest = '{
          sid: cmd.sid,
          notify: cmd.notify,
          opened: cmd.opened,
          fin: cmd.fin,
          ended: cmd.ended,
          discard: cmd.discard,
          in_order_end: cmd.in_order_end,
          reason: cmd.reason,
          tuple: cmd.tuple
      };

  assign s_cmd.ready = cmd.frame ? job_ready : keep_room;
  assign keep_valid = s_cmd.valid && (cmd.frame ? start && (tells || cmd.len != '0) : tells);
  assign cut_valid = job_ready && !full;

  // ---- frames -> rings ------------------------------------------------------------------------
  logic [$clog2(BYTES):0] beat_bytes;
  logic [DATA_W-1:0] beat;
  logic beat_last, beat_valid, beat_ready;

  kumi_keep_to_count #(
      .KEEP_W(BYTES)
  ) u_have (
      .keep (s_axis.tkeep),
      .count(have)
  );

  kumi_slice #(
      .W(DATA_W + $clog2(BYTES) + 2),
      .MODE(2)
  ) u_beat (
      .clk,
      .rst,
      .s_data ({s_axis.tlast, have, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({beat_last, beat_bytes, beat}),
      .m_valid(beat_valid),
      .m_ready(beat_ready)
  );

  kumi_ring_write #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(RING_W),
      .BURST_BYTES(BURST_BYTES)
  ) u_write (
      .clk,
      .rst,
      .job_hi(hi),
      .job_off(cmd.seq[RING_W-1:0]),
      .job_skip(cmd.skip),
      .job_len(cmd.len),
      .job_valid(s_cmd.valid && cmd.frame),
      .job_ready,
      .start,
      .may_start(keep_room),
      .job_bursts(bursts),
      .may_end(1'b1),
      .took,
      .gain,
      .end_full(full),
      .end_long(cut_long),
      .s_data(beat),
      .s_bytes(beat_bytes),
      .s_last(beat_last),
      .s_valid(beat_valid),
      .s_ready(beat_ready),
      .aw_addr(m_axi.awaddr),
      .aw_len(m_axi.awlen),
      .aw_valid(m_axi.awvalid),
      .aw_ready(m_axi.awready),
      .w_data(m_axi.wdata),
      .w_strb(m_axi.wstrb),
      .w_last(m_axi.wlast),
      .w_valid(m_axi.wvalid),
      .w_ready(m_axi.wready)
  );

  // ---- until the data are in memory -----------------------------------------------------------
  logic b_valid, b_bad, out_bad, out_valid, out_tells;
  rx_cmd_rest_t kept;
  logic [BURSTS_W-1:0] kept_bursts;
  logic kept_valid, kept_ready, fence_empty;
  assign b_valid = EARLY != 0 ? m_axi.wvalid && m_axi.wready && m_axi.wlast : m_axi.bvalid;
  assign b_bad   = EARLY == 0 && m_axi.bresp[1];

  // The number of bursts is a sum, and the fence adds it to another.
  kumi_slice #(
      .W(BURSTS_W + $bits(rx_cmd_rest_t)),
      .MODE(3)
  ) u_kept (
      .clk,
      .rst,
      .s_data ({cmd.frame && cmd.len != '0 ? bursts : '0, rest}),
      .s_valid(keep_valid),
      .s_ready(keep_room),
      .m_data ({kept_bursts, kept}),
      .m_valid(kept_valid),
      .m_ready(kept_ready)
  );

  kumi_write_fence #(
      .W($bits(rx_cmd_rest_t)),
      .BURST_W(BURSTS_W),
      .DEPTH(OPEN),
      .FAST(EARLY)
  ) u_retire (
      .clk,
      .rst,
      .s_data(kept),
      .s_bursts(kept_bursts),
      .s_valid(kept_valid),
      .s_ready(kept_ready),
      .b_valid,
      .b_bad,
      .m_data(out),
      .m_bad(out_bad),
      .m_valid(out_valid),
      .m_ready(m_ready || !out_tells),
      .empty(fence_empty)
  );
  assign idle = fence_empty && !kept_valid;

  assign out_tells = out_bad || out.notify || out.opened || out.fin || out.ended || out.discard;
  assign m_valid = out_valid && out_tells;
  assign m_bad = out_bad;
  assign m_cmd = '{
          sid: out.sid,
          notify: out.notify,
          opened: out.opened,
          fin: out.fin,
          ended: out.ended,
          discard: out.discard,
          in_order_end: out.in_order_end,
          reason: out.reason,
          tuple: out.tuple,
          default: '0
      };

  always_ff @(posedge clk) begin
    ev_short <= cut_valid;
    ev_error <= m_axi.bvalid && m_axi.bresp[1];
    if (rst) begin
      ev_short <= 1'b0;
      ev_error <= 1'b0;
    end
  end

  assign m_axi.awid = '0;
  assign m_axi.awsize = 3'($clog2(BYTES));
  assign m_axi.awburst = 2'b01;
  assign m_axi.bready = 1'b1;

  logic unused;
  assign unused = ^{base, took, gain, cut_long, m_axi.bid, m_axi.bresp[0], s_axis.tuser,
                    s_axis.tid};
endmodule
