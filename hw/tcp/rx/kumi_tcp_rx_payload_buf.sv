// SPDX-License-Identifier: Apache-2.0
//
// Payload buffer of received segments until their verdict: a ring of beats. Space is reserved
//   before a segment arrives and freed in one step if it is dropped.
//
// begin_*: a segment begins and reserves begin_beats (0..room) at base.
// st_*: writes a beat at any reserved address.
// Then one of the two for each segment, in the order of begin_*:
//   drop_valid: its drop_beats are freed, after those before it;
//   keep_valid (only with keep_ready): it is sent on m_axis, keep_len bytes (at least 1, all
//     written), then its keep_beats are freed.
// m_axis: whole frames, byte 0 first.
// Latency from keep_valid to the first beat 5 cycles; one beat per cycle, frames back to back.
module kumi_tcp_rx_payload_buf #(
    parameter int DATA_W = 64,    // bits of a beat
    parameter int DEPTH  = 1024,  // beats, a power of two, at most 16384
    parameter int FRAMES = 64     // segments being output, a power of two
) (
    input  logic                                clk,
    input  logic                                rst,
    input  logic                                begin_valid,
    input  logic            [             15:0] begin_beats,
    output logic            [  $clog2(DEPTH):0] room,
    output logic            [$clog2(DEPTH)-1:0] base,
    input  logic                                st_valid,
    input  logic            [$clog2(DEPTH)-1:0] st_addr,
    input  logic            [       DATA_W-1:0] st_data,
    input  logic                                drop_valid,
    input  logic            [             15:0] drop_beats,
    input  logic                                keep_valid,
    output logic                                keep_ready,
    input  logic            [             15:0] keep_beats,
    input  logic            [             15:0] keep_len,
           kumi_axis_if.src                     m_axis
);
  localparam int B = DATA_W / 8;
  localparam int LANE_W = $clog2(B);
  localparam int AW = $clog2(DEPTH);

  if (DEPTH < 8 || DEPTH > 16384 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_depth
    $fatal(0, "DEPTH must be a power of two, 8 to 16384 (%m)");
  end

  typedef struct packed {
    logic [AW:0] gap;    // beats of dropped segments before it
    logic [AW:0] beats;  // reserved
    logic [AW:0] reads;  // beats of payload
  } cmd_t;

  // ---- space ----------------------------------------------------------------------------------
  // lag_q: beats of dropped segments after the last kept one still in the buffer. They are freed
  // with the next kept one, or immediately when none is being output. What is freed counts a cycle
  // later: whether a segment is kept is known late.
  logic [AW:0] lag_q, freed_q, back_q, room_q, freed;
  logic [AW-1:0] base_q, head_q;
  logic [$clog2(FRAMES)+2:0] keeps_q;
  logic push, push_q, load, finish, idle;  // it takes longer than a cycle from push to finish

  assign room = room_q;
  assign base = base_q;
  assign push = keep_valid && keep_ready;
  assign idle = keeps_q == '0 && !push_q && !push;

  always_comb begin
    freed = '0;
    if (idle) freed = lag_q;
    else if (finish) freed = freed_q;
  end

  always_ff @(posedge clk) begin
    if (begin_valid) base_q <= base_q + AW'(begin_beats);
    back_q <= freed;
    room_q <= room_q - (begin_valid ? (AW + 1)'(begin_beats) : '0) + back_q;
    if (push || idle) lag_q <= drop_valid ? (AW + 1)'(drop_beats) : '0;
    else if (drop_valid) lag_q <= lag_q + (AW + 1)'(drop_beats);
    push_q <= push && !rst;
    if (push_q != finish) keeps_q <= push_q ? keeps_q + 1'b1 : keeps_q - 1'b1;
    if (rst) begin
      base_q  <= '0;
      room_q  <= (AW + 1)'(DEPTH);
      back_q  <= '0;
      lag_q   <= '0;
      keeps_q <= '0;
    end
  end

  // ---- output of kept segments, in order ------------------------------------------------------
  cmd_t cmd, cmd_in;
  logic cmd_valid, cmds_ready, lens_ready, len_valid, len_pop;
  logic [15:0] len;
  logic [$clog2(FRAMES):0] unused_cmds, unused_lens;

  assign cmd_in = '{
          gap: lag_q,
          beats: (AW + 1)'(keep_beats),
          reads: (AW + 1)'((17'(keep_len) + 17'(B - 1)) >> LANE_W)
      };
  assign keep_ready = cmds_ready && lens_ready;

  kumi_fifo #(
      .W(3 * AW + 3),
      .DEPTH(FRAMES),
      .STYLE(0)
  ) u_cmds (
      .clk,
      .rst,
      .s_data (cmd_in),
      .s_valid(push),
      .s_ready(cmds_ready),
      .m_data (cmd),
      .m_valid(cmd_valid),
      .m_ready(load),
      .depth  (unused_cmds)
  );

  kumi_fifo #(
      .W(16),
      .DEPTH(FRAMES),
      .STYLE(0)
  ) u_lens (
      .clk,
      .rst,
      .s_data (keep_len),
      .s_valid(push),
      .s_ready(lens_ready),
      .m_data (len),
      .m_valid(len_valid),
      .m_ready(len_pop),
      .depth  (unused_lens)
  );

  logic active_q, take;
  logic [AW-1:0] addr_q;
  logic [  AW:0] reads_q;

  assign finish = take && reads_q == (AW + 1)'(1);
  assign load   = cmd_valid && (!active_q || finish);

  always_ff @(posedge clk) begin
    if (take) begin
      addr_q  <= addr_q + 1'b1;
      reads_q <= reads_q - 1'b1;
    end
    if (finish) active_q <= 1'b0;
    if (load) begin
      active_q <= 1'b1;
      addr_q   <= head_q + AW'(cmd.gap);
      reads_q  <= cmd.reads;
      freed_q  <= cmd.gap + cmd.beats;
      head_q   <= head_q + AW'(cmd.gap) + AW'(cmd.beats);
    end else if (idle) head_q <= head_q + AW'(lag_q);
    if (rst) begin
      active_q <= 1'b0;
      head_q   <= '0;
    end
  end

  logic out_valid;
  kumi_fifo_ram #(
      .W(DATA_W),
      .DEPTH(DEPTH),
      .STYLE(1)
  ) u_mem (
      .wr_clk  (clk),
      .wr_en   (st_valid),
      .wr_addr (st_addr),
      .wr_data (st_data),
      .clk,
      .rst,
      .rd_avail(active_q),
      .rd_addr (addr_q),
      .rd_take (take),
      .m_data  (m_axis.tdata),
      .m_valid (out_valid),
      .m_ready (m_axis.tready)
  );

  // ---- ends of frames -------------------------------------------------------------------------
  // The lengths arrive before the data: their path is shorter.
  logic first_q;
  logic [15:0] left, left_q;
  logic [LANE_W:0] count;
  assign left  = first_q ? len : left_q;
  assign count = m_axis.tlast ? left[LANE_W:0] : (LANE_W + 1)'(B);

  kumi_count_to_keep #(
      .KEEP_W(B)
  ) u_keep (
      .count,
      .keep(m_axis.tkeep)
  );

  assign m_axis.tvalid = out_valid;
  assign m_axis.tlast = left <= 16'(B);
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign len_pop = out_valid && m_axis.tready && first_q;

  always_ff @(posedge clk) begin
    if (out_valid && m_axis.tready) begin
      first_q <= m_axis.tlast;
      left_q  <= left - 16'(B);
    end
    if (rst) first_q <= 1'b1;
  end

  logic unused;
  assign unused = ^{unused_cmds, unused_lens, len_valid, begin_beats, drop_beats, keep_beats};
endmodule
