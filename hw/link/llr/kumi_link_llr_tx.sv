// SPDX-License-Identifier: Apache-2.0
//
// LLR sender: sends chunks, keeps them until they are acknowledged, and goes back to any of them.
//
// s: frames; split into chunks (kumi_link_repack). A chunk is sent while it arrives.
// m: chunks with their trailers, each a frame of the framing layer.
// run: chunks may be sent. While it is low everything in flight is discarded; before it rises
//   `go_back` must say where to continue.
// go_back: retransmit from go_back_seq on; the current chunk is aborted (CHUNK_ABORT). A number
//   before the oldest kept chunk counts as that one.
// freed: chunks before freed_seq have been received; implausible numbers are ignored.
// restart: clears everything and counts from 0.
// Buffer: never overflows, because s stalls while WINDOW_BLOCKS or WINDOW_CHUNKS are kept.
// Latency: s to m 3 cycles when everything earlier has been sent, 5 when read from the buffer.
//   Throughput: one beat per cycle; with one lane, and after a full last beat, the trailer takes a
//   beat.
`include "kumi_assert.svh"
module kumi_link_llr_tx
  import kumi_link_llr_pkg::*;
  import kumi_link_crc_pkg::*;
#(
    parameter int LANES = 1
) (
    input logic clk,
    input logic rst,

    kumi_link_if.snk s,
    kumi_link_if.src m,

    input  logic       run,
    input  logic       restart,
    input  logic       go_back,
    input  logic [7:0] go_back_seq,
    input  logic       freed,
    input  logic [7:0] freed_seq,
    input  logic [7:0] own_freed,    // goes into trailers
    output logic       freed_sent,   // pulse: it has gone out
    output logic [7:0] base_seq,     // oldest chunk kept
    output logic [7:0] sent_seq,     // chunks before it have been sent
    output logic [7:0] next_seq,     // chunk that is sent next
    output logic       ev_sent,
    output logic       ev_replayed
);
  localparam int BEATS = store_beats(LANES);
  localparam int A = $clog2(BEATS);
  localparam int LIMIT = WINDOW_BLOCKS / LANES;

  typedef struct packed {
    logic                   ends;   // the chunk
    llr_chunk_e             kind;
    logic [2:0]             pad;
    logic [2:0]             count;
    logic [LANES-1:0][63:0] data;
  } llr_tx_beat_t;

  // ---- Chunks and the store ---------------------------------------------------------------------
  kumi_link_if #(.LANES(LANES)) split ();
  logic split_here;

  kumi_link_repack #(
      .LANES(LANES),
      .SPLIT_BEATS(chunk_beats(LANES)),
      .SPLIT_BLOCKS(chunk_last_blocks(LANES))
  ) u_split (
      .clk,
      .rst,
      .clear(restart),
      .size(3'(LANES)),
      .s,
      .m(split),
      .m_split(split_here)
  );

  llr_tx_beat_t new_beat;
  always_comb begin
    new_beat.ends  = split.last || split_here;
    new_beat.kind  = !split.last ? CHUNK_PART : split.bad ? CHUNK_BAD : CHUNK_LAST;
    new_beat.pad   = split.pad;
    new_beat.count = split.count;
    new_beat.data  = split.data;
  end

  (* ram_style = "block", no_rw_check *) llr_tx_beat_t mem[BEATS];
  (* ram_style = "distributed", no_rw_check *) logic [A:0] start[256];  // of each chunk
  logic [A:0] write_q, read_q, base_q;
  logic [7:0] write_seq_q;
  logic room_q, write, live, step, fetch;
  logic start_we;
  logic [7:0] start_at;
  logic [A:0] start_to;

  assign split.ready = room_q && !restart && (!live || step);
  assign write       = split.valid && split.ready;

  assign start_we    = restart || (write && new_beat.ends);
  assign start_at    = restart ? 8'd0 : write_seq_q + 8'd1;
  assign start_to    = restart ? '0 : write_q + 1'b1;

  always_ff @(posedge clk) begin
    if (write) mem[write_q[A-1:0]] <= new_beat;
    if (start_we) start[start_at] <= start_to;
    if (write) begin
      write_q <= write_q + 1'b1;
      if (new_beat.ends) write_seq_q <= write_seq_q + 8'd1;
    end
    room_q <= (write_q - base_q) < (A + 1)'(LIMIT) && write_seq_q - base_seq < 8'(WINDOW_CHUNKS);
    if (rst || restart) begin
      write_q     <= '0;
      write_seq_q <= '0;
      room_q      <= 1'b0;
    end
  end

  // What has been taken makes room.
  logic freed_q;
  logic [7:0] freed_seq_q;

  always_ff @(posedge clk) begin
    freed_q     <= freed && freed_seq - base_seq <= sent_seq - base_seq;
    freed_seq_q <= freed_seq;
    if (freed_q && freed_seq_q - base_seq <= sent_seq - base_seq) begin
      base_seq <= freed_seq_q;
      base_q   <= start[freed_seq_q];
    end
    if (rst || restart) begin
      freed_q  <= 1'b0;
      base_seq <= '0;
      base_q   <= '0;
    end
  end

  // ---- Read, or bypass the buffer ---------------------------------------------------------------
  logic back_q, ready_q, rewind, idle, behind, was_behind_q;
  logic [7:0] back_seq_q, from_seq;
  logic ra_q, rb_q;  // a beat is in the memory's output, in the register after it
  llr_tx_beat_t ram_q, reg_q, x;
  logic x_valid, x_first_q;

  assign live    = run && !back_q && read_q == write_q && !ra_q && !rb_q;
  assign fetch   = run && !back_q && read_q != write_q;
  assign x_valid = rb_q || (live && write);
  assign x       = rb_q ? reg_q : new_beat;

  always_ff @(posedge clk) begin
    if (step) begin
      ra_q  <= fetch;
      rb_q  <= ra_q;
      ram_q <= mem[read_q[A-1:0]];
      reg_q <= ram_q;
      if (fetch) read_q <= read_q + 1'b1;
      if (x_valid) x_first_q <= x.ends;
    end
    if (live && write) read_q <= write_q + 1'b1;
    if (back_q || !run) begin
      ra_q <= 1'b0;
      rb_q <= 1'b0;
    end
    if (rewind) begin
      read_q    <= start[from_seq];
      x_first_q <= 1'b1;
    end
    if (rst || restart) begin
      ra_q      <= 1'b0;
      rb_q      <= 1'b0;
      read_q    <= '0;
      x_first_q <= 1'b1;
    end
  end

  // ---- CRC --------------------------------------------------------------------------------------
  logic c_q, d_q;  // a beat is in the first, in the second stage
  llr_tx_beat_t c_beat_q, d_beat_q;
  logic [31:0] state;

  kumi_link_crc #(
      .LANES(LANES)
  ) u_crc (
      .clk,
      .step,
      .flush(rst || restart || back_q || !run),
      .valid(x_valid),
      .first(x_first_q),
      .data (x.data),
      .count(x.count),
      .state
  );

  always_ff @(posedge clk) begin
    if (step) begin
      c_q      <= x_valid && !back_q;
      c_beat_q <= x;
      d_q      <= c_q && !back_q;
      d_beat_q <= c_beat_q;
    end
    if (back_q) c_q <= 1'b0;
    if (rst || restart || !run) begin
      c_q <= 1'b0;
      d_q <= 1'b0;
    end
  end

  // ---- Out --------------------------------------------------------------------------------------
  logic trail_q;  // the trailer is still to be sent, alone
  logic inside_q;  // a chunk has been begun and its trailer not sent
  logic ends, joined, trailer_out;
  llr_chunk_e kind_q, kind;
  logic [2:0] pad_q, pad;
  logic [31:0] state_q, final_state;
  logic [1:0] flight_q;
  llr_trailer_t trailer;
  logic [63:0] trailer_block;

  assign ends = d_beat_q.ends || back_q;
  assign joined = !trail_q && d_q && ends && d_beat_q.count != 3'(LANES);
  assign kind = trail_q ? kind_q : d_beat_q.ends ? d_beat_q.kind : CHUNK_ABORT;
  assign pad = trail_q ? pad_q : d_beat_q.pad;
  assign final_state = trail_q ? state_q : state;
  assign trailer = '{
          kind: kind,
          pad: pad,
          flight: flight_q,
          zero: 1'b0,
          seq: next_seq,
          freed: own_freed
      };
  assign trailer_block = {trailer, wire_order(finish(final_state, trailer)), 8'h0};

  always_comb begin
    m.data = d_beat_q.data;
    if (trail_q) m.data[0] = trailer_block;
    else begin
      for (int b = 0; b < LANES; b++) begin
        if (joined && d_beat_q.count == 3'(b)) m.data[b] = trailer_block;
      end
    end
    m.count = trail_q ? 3'd1 : d_beat_q.count + 3'(joined);
    m.last  = trail_q || joined;
    m.pad   = m.last ? 3'd1 : '0;
    m.bad   = 1'b0;
    m.valid = trail_q || d_q;
  end

  assign step        = !d_q || (m.ready && !trail_q);
  assign trailer_out = m.valid && m.ready && m.last;
  assign freed_sent  = trailer_out;

  // Broken off between two beats: the trailer goes alone.
  logic break_off;
  assign break_off = back_q && !d_q && !trail_q && inside_q;

  always_ff @(posedge clk) begin
    ev_sent     <= 1'b0;
    ev_replayed <= 1'b0;
    if (m.valid && m.ready) begin
      inside_q <= !m.last;
      trail_q  <= !trail_q && !joined && ends;
    end
    if (break_off) trail_q <= 1'b1;
    if (!trail_q) begin
      kind_q  <= d_q && d_beat_q.ends ? d_beat_q.kind : CHUNK_ABORT;
      pad_q   <= d_beat_q.pad;
      state_q <= state;
    end
    if (trailer_out && kind != CHUNK_ABORT) begin
      next_seq <= next_seq + 8'd1;
      if (next_seq == sent_seq) begin
        sent_seq <= next_seq + 8'd1;
        ev_sent  <= 1'b1;
      end else begin
        ev_replayed <= 1'b1;
      end
    end
    if (rewind) next_seq <= from_seq;
    if (!run) begin
      inside_q <= 1'b0;
      trail_q  <= 1'b0;
    end
    if (rst || restart) begin
      inside_q <= 1'b0;
      trail_q  <= 1'b0;
      next_seq <= '0;
      sent_seq <= '0;
    end
  end

  // ---- Going back -------------------------------------------------------------------------------
  assign idle   = !c_q && !d_q && !trail_q && !inside_q;
  assign rewind = back_q && idle && ready_q;

  // What is being sent again may be taken meanwhile; its place in the store is then free, and the
  // sender goes forward to the oldest chunk kept.
  assign behind = next_seq - base_seq > sent_seq - base_seq;

  always_ff @(posedge clk) begin
    // The place is looked up a cycle before it is used.
    from_seq     <= back_seq_q - base_seq <= sent_seq - base_seq ? back_seq_q : base_seq;
    ready_q      <= back_q && !go_back && !rewind;
    was_behind_q <= behind && !rewind;
    if (go_back) begin
      back_q     <= 1'b1;
      back_seq_q <= go_back_seq;
    end else if (behind && !back_q) begin
      back_q     <= 1'b1;
      back_seq_q <= base_seq;
    end else if (rewind) begin
      back_q   <= 1'b0;
      flight_q <= flight_q + 1'b1;
    end
    if (rst || restart) begin
      back_q       <= 1'b0;
      flight_q     <= '0;
      ready_q      <= 1'b0;
      was_behind_q <= 1'b0;
    end
  end

  `KUMI_ASSERT(a_store, write_q - base_q <= (A + 1)'(LIMIT + 2))
  `KUMI_ASSERT(a_order, sent_seq - base_seq <= write_seq_q - base_seq)
  `KUMI_ASSERT(a_next, !behind || !was_behind_q || back_q || restart)
endmodule
