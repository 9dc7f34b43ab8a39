// SPDX-License-Identifier: Apache-2.0
//
// FIFO between two clocks for an AXI stream, with Gray-coded pointers (C. E. Cummings, "Simulation
// and Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002, style 1).
//
// s_axis belongs to s_clk/s_rst, m_axis to m_clk/m_rst; all side-band kept, one beat a cycle of
//   each clock. All parameters of the two must be equal.
// Reset: each side is reset synchronously to its own clock. Both must be reset together, for at
//   least 4 cycles of the slower clock, with no beat offered; resetting one side alone would
//   separate the pointers.
// s_depth: beats in the memory as the writing side sees it (never too few); m_depth as the reading
//   side sees it (never too many). Further beats wait in the output registers.
// Latency of an empty FIFO: 1 cycle of s_clk, then STAGES to STAGES + 1 of m_clk for the pointer,
//   then none (STYLE 3), 1 (up to 64 beats, or STYLE 2) or 2. At equal rates a DEPTH of 16
//   sustains one beat a cycle.
// For whole frames put a kumi_axis_frame_fifo before it.
module kumi_axis_async_fifo #(
    parameter int DEPTH  = 32,  // beats, a power of two, at least 4
    parameter int STAGES = 2,   // flip-flops of each synchroniser
    parameter int STYLE  = -1   // memory, see kumi_fifo; 3: LUT RAM that is read directly
) (
    input logic s_clk,
    input logic s_rst,
    kumi_axis_if.snk s_axis,
    input logic m_clk,
    input logic m_rst,
    kumi_axis_if.src m_axis,
    output logic [$clog2(DEPTH):0] s_depth,
    output logic [$clog2(DEPTH):0] m_depth
);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam int MEM_STYLE = STYLE >= 0 ? STYLE : DEPTH <= 64 ? 0 : 1;
  localparam int BEAT_W = s_axis.DATA_W + s_axis.KEEP_W + 1 + s_axis.USER_W + s_axis.ID_W
      + s_axis.DEST_W;

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (DEPTH < 4) begin : gen_check_depth
    $fatal(0, "DEPTH must be at least 4 (%m)");
  end

  function automatic logic [ADDR_W:0] to_gray(input logic [ADDR_W:0] x);
    return x ^ (x >> 1);
  endfunction

  function automatic logic [ADDR_W:0] to_binary(input logic [ADDR_W:0] g);
    logic [ADDR_W:0] x;
    x = g;
    for (int i = ADDR_W - 1; i >= 0; i--) x[i] = x[i+1] ^ g[i];
    return x;
  endfunction

  // Writing side. Both answers to "full" are ready when it turns out whether a beat comes.
  logic [ADDR_W:0] wr_q, wr_gray_q, wr_next, rd_gray_s, full_at;
  logic full_q, push;

  assign push          = s_axis.tvalid && s_axis.tready;
  assign s_axis.tready = !full_q;
  assign wr_next       = wr_q + 1'b1;
  assign full_at       = rd_gray_s ^ {2'b11, {(ADDR_W - 1) {1'b0}}};
  assign s_depth       = wr_q - to_binary(rd_gray_s);

  always_ff @(posedge s_clk) begin
    if (push) begin
      wr_q      <= wr_next;
      wr_gray_q <= to_gray(wr_next);
    end
    full_q <= push ? to_gray(wr_next) == full_at : wr_gray_q == full_at;
    if (s_rst) begin
      wr_q      <= '0;
      wr_gray_q <= '0;
      full_q    <= 1'b0;
    end
  end

  // Reading side.
  logic [ADDR_W:0] rd_q, rd_gray_q, rd_next, wr_gray_m;
  logic take;

  assign rd_next = rd_q + 1'b1;
  assign m_depth = to_binary(wr_gray_m) - rd_q;

  always_ff @(posedge m_clk) begin
    if (take) begin
      rd_q      <= rd_next;
      rd_gray_q <= to_gray(rd_next);
    end
    if (m_rst) begin
      rd_q      <= '0;
      rd_gray_q <= '0;
    end
  end

  kumi_cdc_sync #(
      .W(ADDR_W + 1),
      .STAGES(STAGES)
  ) u_sync_rd (
      .clk(s_clk),
      .d  (rd_gray_q),
      .q  (rd_gray_s)
  );

  kumi_cdc_sync #(
      .W(ADDR_W + 1),
      .STAGES(STAGES)
  ) u_sync_wr (
      .clk(m_clk),
      .d  (wr_gray_q),
      .q  (wr_gray_m)
  );

  logic [BEAT_W-1:0] beat_in, beat_out;
  logic available;
  assign beat_in = {
    s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata
  };
  assign {m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata} =
      beat_out;
  assign available = wr_gray_m != rd_gray_q;

  if (STYLE == 3) begin : gen_wires
    kumi_cdc_ram #(
        .W(BEAT_W),
        .DEPTH(DEPTH)
    ) u_mem (
        .s_clk,
        .s_en  (push),
        .s_addr(wr_q[ADDR_W-1:0]),
        .s_data(beat_in),
        .m_clk,
        .m_addr(rd_q[ADDR_W-1:0]),
        .m_data(beat_out)
    );
    assign m_axis.tvalid = available && !m_rst;
    assign take = m_axis.tvalid && m_axis.tready;
  end else begin : gen_ram
    kumi_fifo_ram #(
        .W(BEAT_W),
        .DEPTH(DEPTH),
        .STYLE(MEM_STYLE)
    ) u_mem (
        .wr_clk(s_clk),
        .wr_en(push),
        .wr_addr(wr_q[ADDR_W-1:0]),
        .wr_data(beat_in),
        .clk(m_clk),
        .rst(m_rst),
        .rd_avail(available),
        .rd_addr(rd_q[ADDR_W-1:0]),
        .rd_take(take),
        .m_data(beat_out),
        .m_valid(m_axis.tvalid),
        .m_ready(m_axis.tready)
    );
  end
endmodule
