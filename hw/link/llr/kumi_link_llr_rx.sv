// SPDX-License-Identifier: Apache-2.0
//
// LLR receiver: accepts chunks that are correct and in order, each once, and joins them to frames.
//
// s: chunks from the framing layer; s.ready is always high. m: the user's frames. A chunk is stored
//   while it arrives and becomes visible when its CRC is correct and its number is the next one.
// got, with the other signals valid in its cycle: a chunk with a correct CRC has ended; got_bad:
//   CRC error or not a chunk. got_in_order: it was accepted. got_duplicate: it had been. trailer:
//   its trailer, also of an aborted chunk.
// expected_seq: number of the next chunk in order. freed_seq: chunks before it have left the
//   buffer.
// restart: clears everything and counts from 0; a frame that has started at m ends bad.
// Buffer: holds everything a sender may have in flight (kumi_link_llr_pkg); a chunk that does not
//   fit is not accepted.
// Latency: s to m, for the last beat of a chunk, 6 cycles.
module kumi_link_llr_rx
  import kumi_link_llr_pkg::*;
  import kumi_link_crc_pkg::*;
#(
    parameter int LANES = 1
) (
    input logic clk,
    input logic rst,

    kumi_link_if.snk s,
    kumi_link_if.src m,

    input  logic               open,           // chunks are taken
    input  logic               restart,
    output logic               got,
    output logic               got_bad,
    output logic               got_in_order,
    output logic               got_duplicate,
    output llr_trailer_t       trailer,
    output logic         [7:0] expected_seq,
    output logic         [7:0] freed_seq
);
  localparam int BEATS = store_beats(LANES);
  localparam int A = $clog2(BEATS);

  // ---- Two steps of CRC -------------------------------------------------------------------------
  logic a_q, b_q;  // a beat is in the first, in the second step
  logic a_last_q, b_last_q, a_wrong_q, b_wrong_q, first_q;
  logic [2:0] count, a_count_q, b_count_q;
  logic [LANES-1:0][63:0] a_data_q, b_data_q;
  logic [63:0] tail;
  logic [55:0] a_tail_q, b_tail_q;
  logic [31:0] state;

  assign s.ready = 1'b1;
  assign count   = s.count - 3'(s.last);

  always_comb begin
    tail = s.data[0];
    for (int b = 0; b < LANES; b++) if (count == 3'(b)) tail = s.data[b];
  end

  kumi_link_crc #(
      .LANES(LANES)
  ) u_crc (
      .clk,
      .step (1'b1),
      .flush(rst),
      .valid(s.valid),
      .first(first_q),
      .data (s.data),
      .count,
      .state
  );

  always_ff @(posedge clk) begin
    if (s.valid) first_q <= s.last;
    a_q       <= s.valid;
    a_last_q  <= s.last;
    a_wrong_q <= s.last && (s.bad || s.pad != 3'd1);
    a_count_q <= count;
    a_data_q  <= s.data;
    a_tail_q  <= tail[63:8];
    b_q       <= a_q;
    b_last_q  <= a_last_q;
    b_wrong_q <= a_wrong_q;
    b_count_q <= a_count_q;
    b_data_q  <= a_data_q;
    b_tail_q  <= a_tail_q;
    if (rst) begin
      first_q <= 1'b1;
      a_q     <= 1'b0;
      b_q     <= 1'b0;
    end
  end

  // ---- Verdict ----------------------------------------------------------------------------------
  llr_trailer_t info;
  logic right, next, take, fits, full_q;
  logic chunk_room;
  logic [A:0] write_q, begin_q, free_q, write_d;
  logic [7:0] ahead;
  logic stores;

  assign info    = llr_trailer_t'(b_tail_q[55:32]);
  assign right   = !b_wrong_q && wire_order(finish(state, b_tail_q[55:32])) == b_tail_q[31:0];
  assign ahead   = info.seq - expected_seq;
  assign next    = ahead == '0 && info.kind != CHUNK_ABORT;
  assign stores  = b_q && b_count_q != '0 && !full_q;
  assign fits    = !full_q && write_d != begin_q && chunk_room;  // and is not empty
  assign take    = open && b_q && b_last_q && right && next && fits;
  assign write_d = write_q + (A + 1)'(stores);

  (* ram_style = "block", no_rw_check *) logic [LANES-1:0][63:0] mem[BEATS];

  always_ff @(posedge clk) begin
    if (stores) mem[write_q[A-1:0]] <= b_data_q;
    full_q <= write_d - free_q >= (A + 1)'(BEATS - 1) || (full_q && !(b_q && b_last_q));
    if (b_q && b_last_q) begin
      write_q <= take ? write_d : begin_q;
      begin_q <= take ? write_d : begin_q;
      full_q  <= 1'b0;
    end else begin
      write_q <= write_d;
    end
    if (take) expected_seq <= expected_seq + 8'd1;
    got           <= open && b_q && b_last_q && right;
    got_bad       <= open && b_q && b_last_q && !right;
    got_in_order  <= take;
    got_duplicate <= ahead[7] && info.kind != CHUNK_ABORT;
    trailer       <= info;
    if (rst || restart) begin
      write_q      <= '0;
      begin_q      <= '0;
      full_q       <= 1'b0;
      expected_seq <= '0;
      got          <= 1'b0;
      got_bad      <= 1'b0;
      got_in_order <= 1'b0;
    end
  end

  // ---- Chunks in the store ----------------------------------------------------------------------
  typedef struct packed {
    llr_chunk_e kind;
    logic [2:0] pad;
    logic [2:0] count;  // blocks of the last beat
    logic [A:0] stop;   // address after it
  } chunk_t;

  chunk_t in_chunk, chunk;
  logic chunk_valid, chunk_done;
  logic [7:0] chunks;

  assign in_chunk = '{
          kind: info.kind,
          pad: info.pad,
          count: b_count_q == '0 ? 3'(LANES) : b_count_q,
          stop: write_d
      };

  kumi_fifo #(
      .W($bits(chunk_t)),
      .DEPTH(128),
      .STYLE(0)
  ) u_chunks (
      .clk,
      .rst(rst || restart),
      .s_data(in_chunk),
      .s_valid(take),
      .s_ready(chunk_room),
      .m_data(chunk),
      .m_valid(chunk_valid),
      .m_ready(chunk_done),
      .depth(chunks)
  );

  // The memory's output always holds the beat that is next.
  kumi_link_if #(.LANES(LANES)) beat ();
  logic [A:0] read_q, read_d;
  logic [LANES-1:0][63:0] ram_q;
  logic last_beat, inside_q, end_q, moved;

  assign last_beat = read_q + 1'b1 == chunk.stop;
  assign moved     = beat.valid && beat.ready && !end_q;
  assign read_d    = restart ? '0 : read_q + (A + 1)'(moved);

  always_comb begin
    beat.valid = chunk_valid || end_q;
    beat.data  = ram_q;
    beat.count = last_beat ? chunk.count : 3'(LANES);
    beat.last  = last_beat && chunk.kind != CHUNK_PART;
    beat.pad   = beat.last ? chunk.pad : '0;
    beat.bad   = beat.last && chunk.kind == CHUNK_BAD;
    if (end_q) begin
      beat.count = 3'd1;
      beat.last  = 1'b1;
      beat.pad   = '0;
      beat.bad   = 1'b1;
    end
  end

  assign chunk_done = moved && last_beat;

  always_ff @(posedge clk) begin
    ram_q  <= mem[read_d[A-1:0]];
    read_q <= read_d;
    if (chunk_done) begin
      free_q    <= chunk.stop;
      freed_seq <= freed_seq + 8'd1;
    end
    if (moved) inside_q <= !beat.last;
    if (end_q && beat.ready) end_q <= 1'b0;
    if (restart) begin
      end_q    <= end_q || (moved ? !beat.last : inside_q);
      inside_q <= 1'b0;
    end
    if (rst) begin
      end_q    <= 1'b0;
      inside_q <= 1'b0;
    end
    if (rst || restart) begin
      read_q    <= '0;
      free_q    <= '0;
      freed_seq <= '0;
    end
  end

  logic joined_split;

  kumi_link_repack #(
      .LANES(LANES)
  ) u_join (
      .clk,
      .rst,
      .clear(1'b0),
      .size(3'(LANES)),
      .s(beat),
      .m,
      .m_split(joined_split)
  );

  logic unused;
  assign unused = ^{chunks, joined_split, tail[7:0]};
endmodule
