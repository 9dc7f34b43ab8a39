// SPDX-License-Identifier: Apache-2.0
//
// Data mover of a TCP application: forwards frames of reads to the stream of writes, discards them,
//   captures their head, or generates a pattern, in the order of its commands.
//
// s_move: tcp_app_move_t, one per read, per write, or per pair of both, issued when the read was
//   requested and the write was accepted.
// s_read, s_axis: responses and frames of the engine's reads. m_axis: frames of its writes.
// m_head: first HEAD bytes (byte 0 low) of a frame with `keep`, above them its length (16 bits).
//   One such frame at a time: a command with `keep` waits for the previous head.
// lines: pattern of generated frames: high: 62 printable characters, CR, LF, repeated from the
//   frame's start; low: zeros.
// Handshakes: valid/ready, held. Latency 1 cycle; one beat per cycle, frames back to back.
// A read that returns less than its command says (the session was discarded meanwhile): zeros are
// written instead, since the write was promised; ev_short pulses and m_short_read reports the
// session (tcp_short_read_t).
// sunk: bytes of frames discarded or captured, in the cycle with sunk_valid.
module kumi_tcp_app_mover
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int DEPTH = 16,  // queued commands, a power of two
    parameter int HEAD  = 4    // bytes of m_head
) (
    input logic clk,
    input logic rst,
    input logic lines,
    kumi_rec_if.snk s_move,
    kumi_rec_if.snk s_read,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_head,
    kumi_rec_if.src m_short_read,
    output logic [15:0] sunk,
    output logic sunk_valid,
    output logic ev_short,
    output logic busy
);
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int LOG_W = $clog2(KEEP_W);

  if (s_axis.DATA_W != m_axis.DATA_W || KEEP_W < 8 || KEEP_W > 64) begin : gen_check
    $fatal(0, "s_axis and m_axis must be of one width, 64 to 512 bits (%m)");
  end
  if (m_head.W != 8 * HEAD + 16) begin : gen_check_head
    $fatal(0, "m_head must have 8 * HEAD + 16 bits (%m)");
  end

  // ---- commands -------------------------------------------------------------------------------
  tcp_app_move_t move;
  tcp_read_rsp_t told;
  logic [MOVE_W-1:0] move_bits;
  logic [$clog2(DEPTH):0] move_depth;
  logic move_valid, start;

  kumi_fifo #(
      .W(MOVE_W),
      .DEPTH(DEPTH)
  ) u_moves (
      .clk,
      .rst,
      .s_data (s_move.data),
      .s_valid(s_move.valid),
      .s_ready(s_move.ready),
      .m_data (move_bits),
      .m_valid(move_valid),
      .m_ready(start),
      .depth  (move_depth)
  );
  assign move = tcp_app_move_t'(move_bits);
  assign told = tcp_read_rsp_t'(s_read.data);

  // ---- one command at a time: consume a frame (pass_q or sink_q), then generate one (fill_q) --
  logic pass_q, sink_q, fill_q, keep_q;
  logic over, sink_end, pass_end, fill_end, beat_in, out_free, some, short_read, head_free;
  logic [15:0] length_q;
  logic [16-LOG_W:0] beats_q;  // of the frame to generate
  logic [LOG_W-1:0] rest_q;  // bytes of its last beat, 0: all
  logic [$clog2(64/KEEP_W+1)-1:0] row_q;

  assign some = move.read && told.length != '0;
  assign short_read = move.read && told.length != move.length;
  assign out_free = !m_axis.tvalid || m_axis.tready;
  assign head_free = !m_head.valid || m_head.ready;
  assign s_axis.tready = pass_q ? out_free : sink_q && (head_free || !keep_q);
  assign beat_in = s_axis.tvalid && s_axis.tready;
  assign pass_end = pass_q && beat_in && s_axis.tlast;
  assign sink_end = sink_q && beat_in && s_axis.tlast;
  assign fill_end = fill_q && !sink_q && out_free && beats_q == '0;
  assign over = !(pass_q || sink_q || fill_q) || pass_end || (sink_end && !fill_q) || fill_end;
  assign start = move_valid && over && (!move.read || (s_read.valid && !m_short_read.valid));
  assign s_read.ready = start && move.read;

  always_ff @(posedge clk) begin
    if (over) begin
      pass_q <= start && some && move.write && !short_read;
      sink_q <= start && some && (!move.write || short_read);
      fill_q <= start && move.write && (!move.read || short_read);
      keep_q <= move.keep;
      length_q <= told.length;
      beats_q <= (17 - LOG_W)'((move.length - 16'd1) >> LOG_W);
      rest_q <= move.length[LOG_W-1:0];
      row_q <= '0;
    end else begin
      if (sink_end) sink_q <= 1'b0;
      if (fill_q && !sink_q && out_free) begin
        beats_q <= beats_q - 1'b1;
        row_q   <= 32'(row_q) == 64 / KEEP_W - 1 ? '0 : row_q + 1'b1;
      end
    end
    ev_short <= start && short_read;
    if (m_short_read.ready) m_short_read.valid <= 1'b0;
    if (start && short_read) begin
      m_short_read.valid <= 1'b1;
      m_short_read.data  <= {move.gen, told.sid};
    end
    sunk_valid <= sink_end;
    sunk       <= length_q;
    if (rst) begin
      pass_q <= 1'b0;
      sink_q <= 1'b0;
      fill_q <= 1'b0;
      ev_short <= 1'b0;
      m_short_read.valid <= 1'b0;
      sunk_valid <= 1'b0;
    end
  end

  // ---- pattern --------------------------------------------------------------------------------
  logic [511:0] line;
  logic [KEEP_W-1:0] ones;

  always_comb begin
    for (int i = 0; i < 62; i++) line[8*i+:8] = 8'(33 + i);
    line[496+:16] = 16'h0A0D;
    ones = '1;
  end

  logic short_q;  // the frame replaces one that did not arrive
  always_ff @(posedge clk) if (over) short_q <= short_read;

  logic [s_axis.DATA_W-1:0] made;
  if (KEEP_W == 64) begin : gen_one_row
    assign made = lines && !short_q ? line : '0;
  end else begin : gen_rows
    assign made = lines && !short_q ? line[row_q*s_axis.DATA_W+:s_axis.DATA_W] : '0;
  end

  always_ff @(posedge clk) begin
    if (out_free) begin
      m_axis.tvalid <= (pass_q && s_axis.tvalid) || (fill_q && !sink_q);
      m_axis.tdata <= pass_q ? s_axis.tdata : made;
      m_axis.tlast <= pass_q ? s_axis.tlast : beats_q == '0;
      m_axis.tkeep  <= pass_q ? s_axis.tkeep :
          (beats_q == '0 && rest_q != '0) ? ones >> (KEEP_W - 32'(rest_q)) : ones;
    end
    if (rst) m_axis.tvalid <= 1'b0;
  end
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  // ---- head -----------------------------------------------------------------------------------
  localparam int HEAD_BEATS = (HEAD + KEEP_W - 1) / KEEP_W;
  logic [HEAD_BEATS*s_axis.DATA_W-1:0] head_q;
  logic [$clog2(HEAD_BEATS+1)-1:0] head_beat_q;

  always_ff @(posedge clk) begin
    if (m_head.ready) m_head.valid <= 1'b0;
    if (sink_q && keep_q && beat_in) begin
      for (int i = 0; i < HEAD_BEATS; i++) begin
        if (32'(head_beat_q) == i) head_q[i*s_axis.DATA_W+:s_axis.DATA_W] <= s_axis.tdata;
      end
      if (32'(head_beat_q) < HEAD_BEATS) head_beat_q <= head_beat_q + 1'b1;
      if (s_axis.tlast) begin
        m_head.valid <= 1'b1;
        head_beat_q  <= '0;
      end
    end
    // A missing frame with `keep` counts as an empty one.
    if (start && move.keep && !some) m_head.valid <= 1'b1;
    if (start && move.keep) head_q <= '0;
    if (rst) begin
      m_head.valid <= 1'b0;
      head_beat_q  <= '0;
    end
  end
  logic [15:0] head_length_q;
  always_ff @(posedge clk) if (start && move.keep) head_length_q <= told.length;
  assign m_head.data = {head_length_q, head_q[8*HEAD-1:0]};

  assign busy = move_valid || move_depth != '0 || pass_q || sink_q || fill_q || m_axis.tvalid;

  logic unused;
  assign unused = ^{told, head_q, s_axis.tuser, s_axis.tid, s_axis.tdest};
endmodule
