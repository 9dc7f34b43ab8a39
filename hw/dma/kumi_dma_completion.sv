// SPDX-License-Identifier: Apache-2.0
//
// Completions of a channel's two rings: written back to memory, counted, reported.
//
// s_*[r]: completions of ring r in order. Each is one beat that overwrites the upper half of its
//   descriptor. head[r] counts those that memory has acknowledged, so software that reads a head
//   finds the completions before it.
// Report: after cfg_count completions, or cfg_ticks * 16 cycles (up to 16 less) after the first
//   unreported one, or at once if the descriptor requested it (or with flush[r]). With write_head
//   the head's copy is written first; ev_report[r] pulses when it is in memory.
// aw_*, w_*, b_*: writes of one beat; b_* is always accepted.
// written[r] also counts those in flight to memory: software that polls memory may see them before
//   head does.
// ev_error[r]: memory refused a write. quiet[r]: nothing of the ring is in flight or unreported.
// clear[r]: the ring restarts; only while it is quiet.
// Throughput: a completion every 2 cycles. Latency 5 cycles to aw_valid.
module kumi_dma_completion
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the bus
    parameter int ADDR_W = 64   // bits of an address
) (
    input  logic                                       clk,
    input  logic                                       rst,
    input  logic            [         1:0]             clear,
    input  logic            [         1:0]             flush,
    input  logic            [         1:0][ADDR_W-1:0] base,
    input  logic            [         1:0][       3:0] log2,
    input  logic            [         1:0]             write_head,
    input  logic            [         1:0][ADDR_W-1:0] head_addr,
    input  logic            [         1:0][       7:0] cfg_count,
    input  logic            [         1:0][      15:0] cfg_ticks,
    input  logic            [         1:0]             s_valid,
    output logic            [         1:0]             s_ready,
    input  dma_completion_t [         1:0]             s_done,
    output logic                                       aw_valid,
    input  logic                                       aw_ready,
    output logic            [  ADDR_W-1:0]             aw_addr,
    output logic                                       w_valid,
    input  logic                                       w_ready,
    output logic            [  DATA_W-1:0]             w_data,
    output logic            [DATA_W/8-1:0]             w_strb,
    input  logic                                       b_valid,
    input  logic            [         1:0]             b_resp,
    output logic            [         1:0][      15:0] head,
    output logic            [         1:0][      15:0] written,
    output logic            [         1:0]             quiet,
    output logic            [         1:0]             ev_report,
    output logic            [         1:0]             ev_error
);
  localparam int BYTE_W = $clog2(DATA_W / 8);
  localparam int WORDS = DATA_W / 64;  // words of 8 bytes in a beat

  // ---- one of four things to write: completions and heads of the two rings ---------------------
  logic [1:0] have, head_ask_q;
  logic [1:0][COMPLETION_W-1:0] rec_bits;
  logic [1:0][5:0] depth;
  logic [3:0] req, grant;
  logic [5:0] depth_tags;
  logic grant_free;

  for (genvar r = 0; r < 2; ++r) begin : gen_ring
    kumi_fifo #(
        .W(COMPLETION_W),
        .DEPTH(32),
        .STYLE(0)
    ) u_done (
        .clk,
        .rst,
        .s_data (s_done[r]),
        .s_valid(s_valid[r]),
        .s_ready(s_ready[r]),
        .m_data (rec_bits[r]),
        .m_valid(have[r]),
        .m_ready(grant[r] && grant_free),
        .depth  (depth[r])
    );
  end

  // Room for a granted entry that has no tag yet.
  assign req = depth_tags < 6'd28 ? {head_ask_q, have} : '0;

  kumi_arbiter #(
      .N(4)
  ) u_arbiter (
      .clk,
      .rst,
      .req  (req),
      .done (grant_free),
      .grant(grant)
  );

  // The granted entry; then its address.
  logic grant_valid_q, grant_ring_q, grant_head_q, out_free;
  dma_completion_t rec_q;
  dma_flags_t flags;
  logic [15:0] head_q;
  logic [63:0] word;
  logic [ADDR_W-1:0] base_q;
  logic [14:0] index;

  assign grant_free = !grant_valid_q || out_free;
  assign index = rec_q.count[14:0] & 15'((16'd1 << log2[grant_ring_q]) - 16'd1);
  // Upper half of a descriptor: dma_flags_t and the length.
  assign flags = '{
          done: 1'b1,
          zero_hi: '0,
          code: rec_q.code,
          dest: rec_q.dest,
          zero_lo: '0,
          bad: rec_q.bad,
          irq: rec_q.irq,
          sop: rec_q.sop,
          eop: rec_q.eop
      };
  assign word = grant_head_q ? {48'h0, head_q} : {flags, 8'h0, rec_q.length};

  always_ff @(posedge clk) begin
    if (grant_free) begin
      grant_valid_q <= |req;
      grant_ring_q <= grant[1] || grant[3];
      grant_head_q <= grant[2] || grant[3];
      rec_q <= dma_completion_t'(grant[0] ? rec_bits[0] : rec_bits[1]);
      head_q <= grant[2] ? head[0] : head[1];
      base_q <= grant[0] ? base[0] : grant[1] ? base[1] : grant[2] ? head_addr[0] : head_addr[1];
    end
    if (rst) grant_valid_q <= 1'b0;
  end

  // The request and its beat leave separately: beats wait behind data of earlier bursts, and
  // further requests must not wait for them.
  logic word_room;
  logic [4:0] depth_words;
  logic [63:0] word_out;
  logic [ADDR_W-1:0] addr, addr_q;
  assign out_free = (!aw_valid || aw_ready) && word_room;
  assign addr = base_q + (grant_head_q ? '0 : ADDR_W'({index, 4'h8}));

  always_ff @(posedge clk) begin
    if (aw_ready) aw_valid <= 1'b0;
    if (out_free) begin
      aw_valid <= grant_valid_q;
      addr_q   <= addr;
    end
    if (rst) aw_valid <= 1'b0;
  end

  assign aw_addr = {addr_q[ADDR_W-1:BYTE_W], {BYTE_W{1'b0}}};
  assign w_data  = {WORDS{word_out}};

  // A beat: the word, and its place in it.
  localparam int AT_W = WORDS > 1 ? BYTE_W - 3 : 1;
  logic [AT_W-1:0] at, at_out;
  kumi_fifo #(
      .W(64 + AT_W),
      .DEPTH(16),
      .STYLE(0)
  ) u_words (
      .clk,
      .rst,
      .s_data ({at, word}),
      .s_valid(grant_valid_q && out_free),
      .s_ready(word_room),
      .m_data ({at_out, word_out}),
      .m_valid(w_valid),
      .m_ready(w_ready),
      .depth  (depth_words)
  );
  if (WORDS == 1) begin : gen_strb_one
    logic unused_at;
    assign unused_at = at_out;
    assign at = 1'b0;
    assign w_strb = '1;
  end else begin : gen_strb_some
    assign at = addr[BYTE_W-1:3];
    for (genvar i = 0; i < WORDS; ++i) begin : gen_word
      assign w_strb[8*i+:8] = {8{at_out == AT_W'(i)}};
    end
  end

  logic tag_room, tag_valid, tag_head, tag_ring, tag_irq;
  logic unused;
  assign unused = ^{addr_q[BYTE_W-1:0], rec_q.count[15], depth_words, depth, tag_room, tag_valid,
                    b_resp[0]};

  // ---- answers -------------------------------------------------------------------------------
  kumi_fifo #(
      .W(3),
      .DEPTH(32),
      .STYLE(0)
  ) u_tags (
      .clk,
      .rst,
      .s_data ({grant_head_q, grant_ring_q, rec_q.irq}),
      .s_valid(grant_valid_q && out_free),
      .s_ready(tag_room),
      .m_data ({tag_head, tag_ring, tag_irq}),
      .m_valid(tag_valid),
      .m_ready(b_valid),
      .depth  (depth_tags)
  );

  // Clock of the time limits.
  logic [3:0] scale_q;
  logic tick_q;
  always_ff @(posedge clk) begin
    scale_q <= scale_q + 1'b1;
    tick_q  <= scale_q == '1;
    if (rst) scale_q <= '0;
  end

  for (genvar r = 0; r < 2; ++r) begin : gen_report
    logic [15:0] head_r_q, written_q, time_q;
    logic [7:0] pending_q, limit;
    logic [7:0] open_q;  // completions taken, not yet acknowledged
    logic now_q;  // a report was asked for
    logic head_busy_q;  // the head's copy is being written
    logic done_b, head_b, fire;

    assign done_b = b_valid && !tag_head && tag_ring == 1'(r);
    assign head_b = b_valid && tag_head && tag_ring == 1'(r);
    assign limit = cfg_count[r] == '0 ? 8'd1 : cfg_count[r];
    assign fire = pending_q != '0 && !head_busy_q && (now_q || flush[r] || pending_q >= limit ||
        (cfg_ticks[r] != '0 && time_q >= cfg_ticks[r]));

    always_ff @(posedge clk) begin
      open_q <= open_q + 8'(s_valid[r] && s_ready[r]) - 8'(done_b);
      if (done_b) head_r_q <= head_r_q + 1'b1;
      if (grant[r] && grant_free) written_q <= written_q + 1'b1;
      if (fire) pending_q <= 8'(done_b);
      else if (pending_q != '1) pending_q <= pending_q + 8'(done_b);
      now_q <= (now_q && !fire) || (done_b && tag_irq);
      if (fire || pending_q == '0) time_q <= '0;
      else if (tick_q && time_q != '1) time_q <= time_q + 1'b1;

      if (fire && write_head[r]) begin
        head_busy_q   <= 1'b1;
        head_ask_q[r] <= 1'b1;
      end
      if (grant[r+2] && grant_free) head_ask_q[r] <= 1'b0;
      if (head_b) head_busy_q <= 1'b0;
      ev_report[r] <= head_b || (fire && !write_head[r]);
      ev_error[r]  <= (done_b || head_b) && b_resp[1];

      if (clear[r]) begin
        head_r_q  <= '0;
        written_q <= '0;
      end
      if (rst) begin
        open_q <= '0;
        head_r_q <= '0;
        written_q <= '0;
        pending_q <= '0;
        now_q <= 1'b0;
        head_busy_q <= 1'b0;
        head_ask_q[r] <= 1'b0;
        ev_report[r] <= 1'b0;
        ev_error[r] <= 1'b0;
      end
    end

    assign head[r] = head_r_q;
    assign written[r] = written_q;
    assign quiet[r] = open_q == '0 && pending_q == '0 && !head_busy_q;
  end
endmodule
