// SPDX-License-Identifier: Apache-2.0
//
// Formats log sectors of 512 bytes from records (docs/storage-layout.md, "Log"): a commit of any
// number of records, or a head sector.
//
// s_cmd: log_cmd_t, accepted when all sectors of the previous command are out.
// s_rec: `count` frames of 2 + w beats: sequence number; kind in [39:32] and logical stripe in
//   [31:0], the rest is filled in here; then the positions.
// m_axis: one frame of 64 beats per sector. tuser[0] with tlast: one of its records had the wrong
//   length (padded with zeros, or truncated), a partial beat, or tuser[0] at its last beat.
// done: a pulse after the last beat of a command, or when there is none; done_sectors: its number
//   of sectors, until the next command.
// Throughput: a sector is formatted while the previous one is output: 66 to 69 cycles each with
// records available. Latency: first beat 74 cycles after a head command, 109 after a commit.
// Bad input: w outside 1..30 or zero records yield no sector, and no record is consumed.
module kumi_log_formatter
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_axis_if.snk s_rec,
    kumi_axis_if.src m_axis,
    output logic done,
    output logic [31:0] done_sectors
);
  if (s_cmd.W != $bits(log_cmd_t)) begin : gen_check_cmd
    $fatal(0, "s_cmd must be as wide as log_cmd_t (%m)");
  end
  if (s_rec.DATA_W != 64 || m_axis.DATA_W != 64) begin : gen_check_if
    $fatal(0, "s_rec and m_axis must be 64 bits wide (%m)");
  end

  localparam logic [31:0] MAGIC = 32'h474f_4c4b;  // "KLOG"

  typedef enum logic [3:0] {
    IDLE,
    BEGIN,
    DIVIDE,  // computes the number of sectors
    NEXT,  // waits for a free buffer
    HEADER,
    RECORD,
    FILL,  // pads a short record
    DISCARD,  // discards the rest of a long record
    PAD,
    DRAIN
  } state_e;
  state_e   state_q;

  log_cmd_t cmd_q;
  logic [31:0] sectors_q, started_q, left_q;  // started: sectors; left: records after this sector
  logic [4:0]
      capacity_q,
      in_sector_q,
      pending_records_q;  // records: capacity of a sector; in this one; still to come
  logic [6:0] at_q;  // words written
  logic [5:0] beat_q;
  logic buffer_q, bad_q, write_en, take, beat_last, record_ends;
  logic [63:0] word, header, record;

  // Number of sectors of a commit.
  logic divided;
  logic [32:0] quotient;
  logic [4:0] remainder;
  kumi_divider #(
      .DIVIDEND_W(33),
      .DIVISOR_W (5)
  ) u_divide (
      .clk,
      .rst,
      .start   (state_q == DIVIDE && sectors_q == '1),
      .dividend({1'b0, cmd_q.count} + 33'(capacity_q) - 1'b1),
      .divisor (capacity_q),
      .done    (divided),
      .quotient,
      .remainder
  );

  // Two buffers, one being filled and one being output. used: at least partly filled.
  logic [1:0] used_q, ready_q, bad_frame_q;
  logic [1:0][31:0] crc_q;
  logic crc_valid, crc_to_q;
  logic [31:0] crc;
  logic step, move, out_free, read_buffer_q, read_q, out_valid_q, out_last_q, out_bad_q;
  logic read_first_q, read_last_q, read_from_q;
  logic [5:0] read_at_q;
  logic [63:0] read_word, out_q;

  assign write_en = state_q == HEADER || state_q == FILL || (state_q == PAD && !at_q[6])
      || (state_q == RECORD && take);
  assign take = s_rec.tvalid && s_rec.tready;
  assign s_rec.tready = state_q == RECORD || state_q == DISCARD;
  assign s_cmd.ready = state_q == IDLE;
  assign beat_last = beat_q == 6'(cmd_q.w) + 1'b1;
  assign record_ends = (state_q == RECORD && take && beat_last && s_rec.tlast)
      || (state_q == FILL && beat_last) || (state_q == DISCARD && take && s_rec.tlast);
  assign record = beat_q == 6'd1 ? {19'd0, cmd_q.w, s_rec.tdata[39:0]} : s_rec.tdata;

  always_comb begin
    case (at_q[2:0])
      3'd0: header = {32'd0, MAGIC};
      3'd1: header = {cmd_q.generation, cmd_q.owner};
      3'd2: header = cmd_q.head ? 64'd0 : {cmd_q.index, cmd_q.index + started_q - 1'b1};
      3'd3: begin
        header = cmd_q.head ? {8'd0, 8'd2, 16'd0, 32'd1}
            : {8'(cmd_q.w) + 8'd2, 8'd1, 11'd0, in_sector_q, sectors_q};
      end
      3'd4: header = {32'd0, cmd_q.count};
      default: header = cmd_q.seq;
    endcase
    word = state_q == HEADER ? header : state_q == RECORD ? record : 64'd0;
  end

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (write_en) at_q <= at_q + 1'b1;
    if (state_q == RECORD && take) begin
      beat_q <= beat_q + 1'b1;
      if (!(&s_rec.tkeep) || (s_rec.tlast && s_rec.tuser[0])) bad_q <= 1'b1;
    end
    case (state_q)
      IDLE: begin
        cmd_q <= s_cmd.data;
        if (s_cmd.valid) state_q <= BEGIN;
      end
      BEGIN: begin
        capacity_q <= records_a_sector(cmd_q.w);
        left_q     <= cmd_q.count;
        started_q  <= '0;
        sectors_q  <= cmd_q.head ? 32'd1 : '1;
        state_q    <= cmd_q.head ? NEXT : DIVIDE;
        if (!cmd_q.head && (cmd_q.count == 0 || cmd_q.w == 0 || cmd_q.w == 5'd31)) begin
          sectors_q <= '0;
          done      <= 1'b1;
          state_q   <= IDLE;
        end
      end
      DIVIDE: begin
        sectors_q <= '0;
        if (divided) begin
          sectors_q <= quotient[31:0];
          state_q   <= NEXT;
        end
      end
      NEXT: begin
        at_q <= '0;
        bad_q <= 1'b0;
        beat_q <= '0;
        in_sector_q <= left_q < 32'(capacity_q) ? left_q[4:0] : capacity_q;
        pending_records_q <= left_q < 32'(capacity_q) ? left_q[4:0] : capacity_q;
        if (started_q == sectors_q) begin
          state_q <= DRAIN;
        end else if (!used_q[buffer_q]) begin
          started_q        <= started_q + 1'b1;
          left_q           <= left_q < 32'(capacity_q) ? '0 : left_q - 32'(capacity_q);
          used_q[buffer_q] <= 1'b1;
          state_q          <= HEADER;
        end
      end
      HEADER: if (at_q == (cmd_q.head ? 7'd5 : 7'd3)) state_q <= cmd_q.head ? PAD : RECORD;
      RECORD: begin
        if (take && s_rec.tlast != beat_last) begin
          bad_q   <= 1'b1;
          state_q <= s_rec.tlast ? FILL : DISCARD;
        end
      end
      FILL: beat_q <= beat_q + 1'b1;
      DISCARD: ;
      PAD: begin
        if (at_q[6]) begin
          bad_frame_q[buffer_q] <= bad_q;
          buffer_q              <= !buffer_q;
          state_q               <= NEXT;
        end
      end
      default: begin
        if (used_q == 0 && out_free) begin
          done    <= 1'b1;
          state_q <= IDLE;
        end
      end
    endcase
    if (record_ends) begin
      beat_q <= '0;
      pending_records_q <= pending_records_q - 1'b1;
      state_q <= pending_records_q == 5'd1 ? PAD : RECORD;
    end
    if (read_q && out_free && read_last_q) used_q[read_from_q] <= 1'b0;
    if (rst) begin
      state_q  <= IDLE;
      buffer_q <= 1'b0;
      used_q   <= '0;
      done     <= 1'b0;
    end
  end
  assign done_sectors = sectors_q;

  // Words are stored and added to the CRC.
  logic write_q, write_to_q;
  logic [ 5:0] write_at_q;
  logic [63:0] write_word_q;
  always_ff @(posedge clk) begin
    write_q      <= write_en && !rst;
    write_to_q   <= buffer_q;
    write_at_q   <= at_q[5:0];
    write_word_q <= word;
  end

  kumi_crc32c #(
      .DATA_W(64)
  ) u_crc (
      .clk,
      .rst,
      .in_valid (write_q),
      .in_last  (write_at_q == '1),
      .in_data  (write_word_q),
      .in_keep  ('1),
      .out_valid(crc_valid),
      .out_crc  (crc)
  );

  kumi_ram_sdp #(
      .W(64),
      .DEPTH(128)
  ) u_ram (
      .clk,
      .wr_en  (write_q),
      .wr_addr({write_to_q, write_at_q}),
      .wr_data(write_word_q),
      .rd_en  (step),
      .rd_addr({read_buffer_q, read_at_q}),
      .rd_data(read_word)
  );

  // A sector is output once its CRC is known.
  assign out_free = !out_valid_q || m_axis.tready;
  assign move = !read_q || out_free;
  assign step = ready_q[read_buffer_q] && move;

  always_ff @(posedge clk) begin
    if (crc_valid) begin
      crc_q[crc_to_q]   <= crc;
      ready_q[crc_to_q] <= 1'b1;
      crc_to_q          <= !crc_to_q;
    end
    if (move) begin
      read_q       <= step;
      read_first_q <= read_at_q == 0;
      read_last_q  <= read_at_q == '1;
      read_from_q  <= read_buffer_q;
    end
    if (step) begin
      read_at_q <= read_at_q + 1'b1;
      if (read_at_q == '1) begin
        ready_q[read_buffer_q] <= 1'b0;
        read_buffer_q          <= !read_buffer_q;
      end
    end
    if (out_free) begin
      out_q       <= {read_first_q ? crc_q[read_from_q] : read_word[63:32], read_word[31:0]};
      out_valid_q <= read_q;
      out_last_q  <= read_last_q;
      out_bad_q   <= read_last_q && bad_frame_q[read_from_q];
    end
    if (rst) begin
      ready_q       <= '0;
      crc_to_q      <= 1'b0;
      read_q        <= 1'b0;
      read_at_q     <= '0;
      read_buffer_q <= 1'b0;
      out_valid_q   <= 1'b0;
    end
  end

  assign m_axis.tdata  = out_q;
  assign m_axis.tkeep  = '1;
  assign m_axis.tvalid = out_valid_q;
  assign m_axis.tlast  = out_last_q;
  assign m_axis.tuser  = m_axis.USER_W'(out_bad_q);
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;

  logic unused;
  assign unused = ^{remainder, quotient[32]};
endmodule
