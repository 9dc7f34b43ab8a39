// SPDX-License-Identifier: Apache-2.0
//
// FIS builder of the command layer: Register FISes, Data FISes from the user's frames, Data FISes
// with TRIM ranges.
//
// job, job_kind: a pulse while idle is high. REG: job_reg. DATA: a FIS with job_words words of
//   payload from the next frame of s_axis. TRIM: one block of 512 bytes with ranges from job_lba
//   over job_sectors, at most 65,535 sectors per entry. DROP: the next frame of s_axis is
//   discarded; drop_done follows. The transport layer reports the end of the others (done).
//   job_reg, job_lba and job_sectors are taken from the cycle after job on, and remain stable until
//   idle is high again.
// s_axis: frames of 32-bit words. m_axis: FISes for kumi_sata_transport.
// Latency: 2 cycles to the first word; 0 for the user's, combinational in both directions.
// Bad input: a frame of the wrong length or marked bad marks the FIS bad (tuser[0] with tlast), so
// that it is aborted; excess words are discarded.
module kumi_sata_cmd_tx
  import kumi_sata_cmd_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic job,
    input sata_job_e job_kind,
    input sata_reg_t job_reg,
    input logic [47:0] job_lba,
    input logic [16:0] job_sectors,
    input logic [11:0] job_words,
    output logic drop_done,
    output logic idle,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  typedef enum logic [2:0] {
    IDLE,
    REG,
    HEAD,
    DATA,
    TRIM,
    DROP
  } state_e;

  state_e state_q;
  logic dropping_q;  // job DROP, not the rest of a frame
  logic trim_q;
  logic [11:0] left_q;  // payload words left, including the current one
  logic [2:0] index_q;
  logic in_beat, data_beat;
  logic last_q;  // left_q is 1
  logic [31:0] reg_word, trim_word;

  assign in_beat = s_axis.tvalid && s_axis.tready;
  assign idle = state_q == IDLE;

  always_comb begin
    case (index_q)
      3'd0: reg_word = {job_reg.feature[7:0], job_reg.command, job_reg.c, 7'd0, 8'h27};
      3'd1: reg_word = {job_reg.device, job_reg.lba[23:0]};
      3'd2: reg_word = {job_reg.feature[15:8], job_reg.lba[47:24]};
      3'd3: reg_word = {job_reg.control, 8'd0, job_reg.count};
      default: reg_word = '0;
    endcase
  end

  // An entry holds at most 65,535 sectors, so 65,536 take a second one for the last. Its address is
  // added up in parts of 16 bits; each carries into that of a later word. sum_q: of the second
  // entry, word 2 while index_q is 2, then word 3.
  logic low_carry_q, middle_carry_q;
  logic [31:0] sum_q;
  logic made_beat;
  logic [16:0] low, middle;
  logic [15:0] high;
  assign low = {1'b0, job_lba[15:0]} + 17'h0ffff;
  assign middle = {1'b0, job_lba[31:16]} + {16'd0, low_carry_q};
  assign high = job_lba[47:32] + {15'd0, middle_carry_q};
  always_ff @(posedge clk) begin
    low_carry_q    <= low[16];
    middle_carry_q <= middle[16];
    if (made_beat) begin
      if (!job_sectors[16]) sum_q <= '0;
      else sum_q <= index_q[0] ? {middle[15:0], low[15:0]} : {16'd1, high};
    end
  end
  always_comb begin
    case (index_q)
      3'd0: trim_word = job_lba[31:0];
      3'd1: trim_word = {job_sectors[16] ? 16'hffff : job_sectors[15:0], job_lba[47:32]};
      3'd2, 3'd3: trim_word = sum_q;
      default: trim_word = '0;
    endcase
  end

  // Words built here pass a register, those of the user follow when it is empty.
  logic made_valid, made_ready, made_last, word_valid, word_last, data_last;
  logic [31:0] made, word;

  assign made_valid = state_q inside {REG, HEAD, TRIM};
  assign made_last  = state_q == REG ? index_q == 3'd4 : state_q == TRIM && last_q;
  assign made_beat  = made_valid && made_ready;
  always_comb begin
    case (state_q)
      REG: made = reg_word;
      TRIM: made = trim_word;
      default: made = 32'h0000_0046;
    endcase
  end

  kumi_slice #(
      .W(33),
      .MODE(3)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({made_last, made}),
      .s_valid(made_valid),
      .s_ready(made_ready),
      .m_data ({word_last, word}),
      .m_valid(word_valid),
      .m_ready(m_axis.tready)
  );

  assign data_last = s_axis.tlast || last_q;
  assign data_beat = state_q == DATA && s_axis.tvalid && !word_valid && m_axis.tready;
  always_comb begin
    s_axis.tready = state_q == DROP || (state_q == DATA && !word_valid && m_axis.tready);
    m_axis.tvalid = word_valid || (state_q == DATA && s_axis.tvalid);
    m_axis.tdata = word_valid ? word : s_axis.tdata;
    m_axis.tlast = word_valid ? word_last : data_last;
    m_axis.tuser = '0;
    m_axis.tuser[0] = !word_valid && data_last
        && (!s_axis.tlast || !last_q || s_axis.tuser[0] || s_axis.tkeep != '1);
  end
  assign m_axis.tkeep = '1;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  always_ff @(posedge clk) begin
    drop_done <= 1'b0;
    if (made_beat && index_q != '1) index_q <= index_q + 1'b1;
    if (data_beat || (state_q == TRIM && made_beat)) begin
      left_q <= left_q - 1'b1;
      last_q <= left_q == 12'd2;
    end
    case (state_q)
      IDLE: begin
        index_q <= '0;
        left_q <= job_kind == JOB_TRIM ? 12'd128 : job_words;
        last_q <= job_kind != JOB_TRIM && job_words == 12'd1;
        trim_q <= job_kind == JOB_TRIM;
        dropping_q <= job_kind == JOB_DROP;
        if (job) state_q <= job_kind == JOB_REG ? REG : job_kind == JOB_DROP ? DROP : HEAD;
      end
      REG:  if (made_beat && made_last) state_q <= IDLE;
      HEAD: begin
        if (made_beat) begin
          index_q <= '0;
          state_q <= trim_q ? TRIM : DATA;
        end
      end
      DATA: if (data_beat && data_last) state_q <= s_axis.tlast ? IDLE : DROP;
      TRIM: if (made_beat && last_q) state_q <= IDLE;
      default:  // DROP
      if (in_beat && s_axis.tlast) begin
        drop_done <= dropping_q;
        state_q   <= IDLE;
      end
    endcase
    if (rst) begin
      state_q   <= IDLE;
      drop_done <= 1'b0;
    end
  end
endmodule
