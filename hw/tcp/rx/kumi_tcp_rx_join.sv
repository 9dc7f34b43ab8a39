// SPDX-License-Identifier: Apache-2.0
//
// Joins the parts of a received segment: header, options, end of frame, checksum and table lookup
//   arrive at different times, each in the order of the segments.
//
// begin_valid: a segment begins (only with slot_free). head_*, end_*, sum_*, look_*: its parts, one
//   cycle each, in any order among one another, each at least one cycle after begin_valid.
// m_*: a segment with all its parts, in the order of begin_valid, held until m_ready. m_reason:
//   RX_HIT if it is good, else the reason to drop it.
// Latency: 1 cycle after the last part, or after its options were parsed (kumi_tcp_rx_opts). One
//   segment per cycle, given enough slots for the segments that arrive while options are parsed.
module kumi_tcp_rx_join
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int SLOTS = 4  // segments in progress, a power of two, at least 2
) (
    input  logic                        clk,
    input  logic                        rst,
    input  logic                        begin_valid,
    output logic                        slot_free,
    input  logic                        head_valid,
    input  tcp_header_t                 head,
    input  logic                        end_valid,
    input  tcp_rx_outcome_e             end_reason,
    input  logic            [     15:0] end_beats,
    input  logic                        sum_valid,
    input  logic                        sum_ok,
    input  logic                        look_valid,
    input  tcp_lookup_t                 look,
    output logic                        m_valid,
    input  logic                        m_ready,
    output tcp_seg_t                    m_seg,
    output logic            [NBR_W-1:0] m_neighbor,
    output logic                        m_opts_bad,
    output tcp_rx_outcome_e             m_reason,
    output logic            [     15:0] m_beats,
    output tcp_lookup_t                 m_look
);
  localparam int W = $clog2(SLOTS);

  if (SLOTS < 2 || (SLOTS & (SLOTS - 1)) != 0) begin : gen_check_slots
    $fatal(0, "SLOTS must be a power of two, at least 2 (%m)");
  end

  typedef struct packed {
    logic [NBR_W-1:0] neighbor;
    tcp_tuple_t tuple;
    logic [31:0] seq;
    logic [31:0] ack;
    tcp_flags_t flags;
    logic [15:0] wnd;
    logic [15:0] len;
    logic ce;
  } base_t;

  logic [W:0] used_q;
  logic [W-1:0] head_wr_q, end_wr_q, sum_wr_q, look_wr_q, rd_q;
  logic pop;
  assign pop = m_valid && m_ready;
  assign slot_free = !used_q[W];

  always_ff @(posedge clk) begin
    if (begin_valid != pop) used_q <= begin_valid ? used_q + 1'b1 : used_q - 1'b1;
    head_wr_q <= head_wr_q + W'(head_valid);
    end_wr_q  <= end_wr_q + W'(end_valid);
    sum_wr_q  <= sum_wr_q + W'(sum_valid);
    look_wr_q <= look_wr_q + W'(look_valid);
    rd_q      <= rd_q + W'(pop);
    if (rst) begin
      used_q <= '0;
      head_wr_q <= '0;
      end_wr_q <= '0;
      sum_wr_q <= '0;
      look_wr_q <= '0;
      rd_q <= '0;
    end
  end

  // ---- parts ----------------------------------------------------------------------------------
  base_t base_mem[SLOTS];
  tcp_rx_outcome_e reason_mem[SLOTS];
  logic [15:0] beats_mem[SLOTS];
  logic sum_mem[SLOTS];
  tcp_lookup_t look_mem[SLOTS];
  base_t base;

  always_ff @(posedge clk) begin
    if (head_valid)
      base_mem[head_wr_q] <= {
        head.neighbor, head.tuple, head.seq, head.ack, head.flags, head.wnd, head.len, head.ce
      };
    if (end_valid) begin
      reason_mem[end_wr_q] <= end_reason;
      beats_mem[end_wr_q]  <= end_beats;
    end
    if (sum_valid) sum_mem[sum_wr_q] <= sum_ok;
    if (look_valid) look_mem[look_wr_q] <= look;
  end

  tcp_opts_t [SLOTS-1:0] opts;
  logic [SLOTS-1:0] whole, bad_options;

  for (genvar i = 0; i < SLOTS; i++) begin : gen_slot
    logic head_q, end_q, sum_q, look_q, done, start;
    assign start = head_valid && head_wr_q == W'(i);

    kumi_tcp_rx_opts u_opts (
        .clk,
        .rst,
        .start,
        .words(head.words),
        .bytes(head.bytes),
        .done,
        .bad  (bad_options[i]),
        .opts (opts[i])
    );

    always_ff @(posedge clk) begin
      if (start) head_q <= 1'b1;
      if (end_valid && end_wr_q == W'(i)) end_q <= 1'b1;
      if (sum_valid && sum_wr_q == W'(i)) sum_q <= 1'b1;
      if (look_valid && look_wr_q == W'(i)) look_q <= 1'b1;
      if (rst || (pop && rd_q == W'(i))) begin
        head_q <= 1'b0;
        end_q  <= 1'b0;
        sum_q  <= 1'b0;
        look_q <= 1'b0;
      end
    end
    assign whole[i] = head_q && end_q && sum_q && look_q && done;
  end

  // ---- oldest segment -------------------------------------------------------------------------
  assign m_valid = whole[rd_q];
  assign base = base_mem[rd_q];
  always_comb begin
    m_seg.tuple = base.tuple;
    m_seg.seq = base.seq;
    m_seg.ack = base.ack;
    m_seg.flags = base.flags;
    m_seg.wnd = base.wnd;
    m_seg.len = base.len;
    m_seg.ce = base.ce;
    m_seg.opts = opts[rd_q];
    m_neighbor = base.neighbor;
    m_opts_bad = bad_options[rd_q];
    m_beats = beats_mem[rd_q];
    m_look = look_mem[rd_q];
    m_reason = reason_mem[rd_q];
    if (m_reason == RX_HIT && !sum_mem[rd_q]) m_reason = RX_DROP_CHECKSUM;
  end
endmodule
