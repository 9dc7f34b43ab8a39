// SPDX-License-Identifier: Apache-2.0
//
// Store-and-forward fifo for whole frames: a frame is shown only after its last beat has been
// stored (commit), or not at all (drop).
//
// s_axis, m_axis: AXI4-Stream, all side-band kept, one beat a cycle each, no combinational path
//   between them. All parameters of the two must be equal.
// m_len: with LEN_DEPTH > 0 a record a frame, the frame's length in bytes (m_len.W bits, larger
//   frames wrap). It is offered no later than the frame's first beat, and that beat waits until
//   the record is at the head, so neither side can run ahead of the other. With LEN_DEPTH = 0
//   m_len stays idle.
// A frame is dropped whole, with one pulse on exactly one event output one cycle after its last
// beat, for the first reason that holds:
//   ev_oversize  it has more than DEPTH beats and could never fit
//   ev_full      it did not fit beside the frames already stored (DROP_FULL = 1), or the length
//                fifo was full
//   ev_bad       tuser[0] was high with tlast (DROP_BAD = 1)
// ev_good pulses for each frame that is committed.
// DROP_FULL = 0: s_axis.tready goes low instead while there is no room; oversize frames are still
//   dropped, so the input never hangs. DROP_FULL = 1: s_axis.tready is always high.
// depth: beats in the memory, with those of the frame that is coming in.
// Latency from the last beat in to the first beat out: 2 cycles up to 64 beats or with STYLE 2,
//   else 3. Throughput one beat a cycle, frames of any length back to back.
module kumi_axis_frame_fifo #(
    parameter int DEPTH     = 512,   // beats, a power of two
    parameter bit DROP_FULL = 1'b1,  // 1 drop frames that find no room, 0 stall the input
    parameter bit DROP_BAD  = 1'b1,  // 1 drop frames marked bad, 0 pass them on marked
    parameter int LEN_DEPTH = 0,     // records of the length fifo, a power of two; 0 for none
    parameter int STYLE     = -1     // memory, see kumi_fifo
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_len,
    output logic [$clog2(DEPTH):0] depth,
    output logic ev_good,
    output logic ev_bad,
    output logic ev_full,
    output logic ev_oversize
);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam int MEM_STYLE = STYLE >= 0 ? STYLE : DEPTH <= 64 ? 0 : 1;
  localparam int BEAT_W = s_axis.DATA_W + s_axis.KEEP_W + 1 + s_axis.USER_W + s_axis.ID_W
      + s_axis.DEST_W;

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (LEN_DEPTH < 0) begin : gen_check_len
    $fatal(0, "LEN_DEPTH must not be negative (%m)");
  end

  // Pointers with a wrap bit. wr_q is one past the frame that is coming in and commit_q its start.
  // While the frame is being dropped wr_q still counts its beats (nothing is written), so that an
  // oversize frame is distinguished from one that merely did not fit.
  logic [ADDR_W:0] wr_q, commit_q, rd_q, wr_next;
  logic drop_q, big_q;
  logic full, own_full, beat, misfit, write, good, big, take, len_room;

  assign full     = wr_q == (rd_q ^ {1'b1, {ADDR_W{1'b0}}});
  assign own_full = wr_q == (commit_q ^ {1'b1, {ADDR_W{1'b0}}});
  assign depth    = wr_q - rd_q;

  if (DROP_FULL) begin : gen_drop
    assign s_axis.tready = 1'b1;
  end else begin : gen_stall
    assign s_axis.tready = (!full && len_room) || own_full || drop_q;
  end

  assign beat    = s_axis.tvalid && s_axis.tready;
  assign misfit  = full || own_full || drop_q;
  assign write   = beat && !misfit;
  assign big     = own_full || big_q;
  assign good    = !misfit && len_room && !(DROP_BAD && s_axis.tuser[0]);
  assign wr_next = own_full ? wr_q : wr_q + 1'b1;

  always_ff @(posedge clk) begin
    if (take) rd_q <= rd_q + 1'b1;
    if (beat) begin
      wr_q   <= wr_next;
      drop_q <= misfit;
      big_q  <= big;
      if (s_axis.tlast) begin
        drop_q <= 1'b0;
        big_q  <= 1'b0;
        if (good) commit_q <= wr_next;
        else wr_q <= commit_q;
      end
    end
    ev_good     <= beat && s_axis.tlast && good;
    ev_oversize <= beat && s_axis.tlast && big;
    ev_full     <= beat && s_axis.tlast && !big && (misfit || !len_room);
    ev_bad      <= beat && s_axis.tlast && !misfit && len_room && !good;
    if (rst) begin
      wr_q        <= '0;
      commit_q    <= '0;
      rd_q        <= '0;
      drop_q      <= 1'b0;
      big_q       <= 1'b0;
      ev_good     <= 1'b0;
      ev_oversize <= 1'b0;
      ev_full     <= 1'b0;
      ev_bad      <= 1'b0;
    end
  end

  logic out_valid, out_ready;

  kumi_fifo_ram #(
      .W(BEAT_W),
      .DEPTH(DEPTH),
      .STYLE(MEM_STYLE)
  ) u_mem (
      .wr_clk(clk),
      .wr_en(write),
      .wr_addr(wr_q[ADDR_W-1:0]),
      .wr_data({s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .clk,
      .rst,
      .rd_avail(commit_q != rd_q),
      .rd_addr(rd_q[ADDR_W-1:0]),
      .rd_take(take),
      .m_data({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(out_valid),
      .m_ready(out_ready)
  );

  if (LEN_DEPTH == 0) begin : gen_no_len
    logic unused;
    assign unused = ^{m_len.ready};
    assign len_room = 1'b1;
    assign m_len.data = '0;
    assign m_len.valid = 1'b0;
    assign m_axis.tvalid = out_valid;
    assign out_ready = m_axis.tready;
  end else begin : gen_len
    localparam int COUNT_W = $clog2(s_axis.KEEP_W + 1);

    logic [COUNT_W-1:0] last_bytes;
    logic [m_len.W-1:0] before_q, whole, length;
    logic [$clog2(LEN_DEPTH):0] len_depth;
    logic first_q, allowed, record, start;

    kumi_keep_to_count #(
        .KEEP_W(s_axis.KEEP_W)
    ) u_count (
        .keep (s_axis.tkeep),
        .count(last_bytes)
    );

    // Bytes before this beat are whole beats, so no carry follows the count of its bytes.
    assign whole  = before_q + (m_len.W)'(s_axis.KEEP_W);
    assign length = s_axis.tkeep[s_axis.KEEP_W-1] ? whole : before_q | (m_len.W)'(last_bytes);

    always_ff @(posedge clk) begin
      if (beat) before_q <= s_axis.tlast ? '0 : whole;
      if (rst) before_q <= '0;
    end

    kumi_fifo #(
        .W(m_len.W),
        .DEPTH(LEN_DEPTH),
        .STYLE(0)
    ) u_len (
        .clk,
        .rst,
        .s_data (length),
        .s_valid(beat && s_axis.tlast && good),
        .s_ready(len_room),
        .m_data (m_len.data),
        .m_valid(m_len.valid),
        .m_ready(m_len.ready),
        .depth  (len_depth)
    );
    logic unused;
    assign unused = ^len_depth;

    // ahead_q: records taken less frames begun; -1 when a frame began while its record waits.
    localparam int AHEAD_W = ADDR_W + 3;
    localparam logic signed [AHEAD_W-1:0] ONE = 1;
    logic signed [AHEAD_W-1:0] ahead_q;
    assign allowed = ahead_q > 0 || (ahead_q == 0 && m_len.valid);
    assign record  = m_len.valid && m_len.ready;
    assign start   = m_axis.tvalid && m_axis.tready && first_q;

    always_ff @(posedge clk) begin
      if (record != start) ahead_q <= record ? ahead_q + ONE : ahead_q - ONE;
      if (m_axis.tvalid && m_axis.tready) first_q <= m_axis.tlast;
      if (rst) begin
        ahead_q <= '0;
        first_q <= 1'b1;
      end
    end

    assign m_axis.tvalid = out_valid && (!first_q || allowed);
    assign out_ready = m_axis.tready && (!first_q || allowed);
  end
endmodule
