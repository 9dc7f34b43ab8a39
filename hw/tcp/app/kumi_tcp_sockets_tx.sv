// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of kumi_tcp_sockets: splits one byte stream of many sessions into writes.
//
// s_axis: bytes; tdest: session. tlast closes the session after its bytes, with tuser[0] it aborts.
//   Any beat may be partially filled (a run from bit 0), also empty.
// m_write, s_write, m_axis, m_close: the engine.
// Bytes accumulate in one of SLOTS buffers of CHUNK bytes until it is full, the session changes, a
// beat is partial, or no beat arrives for a cycle. A session uses at most half of the buffers;
// while the engine has no space for it, they are retried every RETRY cycles and other sessions
// continue. Only a beat for a session with its half in use, or for any session when no buffer is
// free, waits.
// Bytes for a session that can no longer be written are dropped; ev_drop pulses for each buffer.
// Throughput: in, one beat per cycle and one idle cycle per buffer; out, one beat per cycle and
//   about 10 cycles per buffer, so a large CHUNK is faster.
module kumi_tcp_sockets_tx
  import kumi_tcp_pkg::*;
#(
    parameter int SLOTS = 8,     // buffers, a power of two, 2..16
    parameter int CHUNK = 1024,  // bytes per buffer, a power of two, at least 128
    parameter int RETRY = 64     // cycles between two requests for a session without room
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_write,
    kumi_rec_if.snk s_write,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_close,
    output logic ev_drop,
    output logic busy
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int LOG_W = $clog2(KEEP_W);
  localparam int BEATS = CHUNK / KEEP_W;
  localparam int BEAT_W = $clog2(BEATS);
  localparam int SLOT_W = $clog2(SLOTS);

  if (SLOTS < 2 || SLOTS > 16 || (SLOTS & (SLOTS - 1)) != 0) begin : gen_check_slots
    $fatal(0, "SLOTS must be 2, 4, 8 or 16 (%m)");
  end
  if (CHUNK < 128 || CHUNK > 32768 || (CHUNK & (CHUNK - 1)) != 0) begin : gen_check_chunk
    $fatal(0, "CHUNK must be a power of two, 128..32768 (%m)");
  end
  if (s_axis.DEST_W != SID_W) begin : gen_check_dest
    $fatal(0, "tdest of s_axis must have as many bits as a session number (%m)");
  end

  // ---- buffers --------------------------------------------------------------------------------
  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [15:0]      length;
    logic             close;
    logic             abort_;
  } slot_t;

  slot_t slot_q[SLOTS];
  logic [SLOTS-1:0] used_q, full_q, same, eligible, pick, retry_q;
  logic [SLOTS-1:0] older_q[SLOTS];  // [i][j]: j was filled before i
  (* ram_style = "block", no_rw_check *) logic [DATA_W-1:0] mem[SLOTS*BEATS];

  // ---- filling --------------------------------------------------------------------------------
  logic filling_q, beat, fits, alloc, finish, partial, free_any;
  logic [SLOT_W-1:0] fill_q, free;
  logic [BEAT_W:0] beats_q;
  logic [$clog2(KEEP_W+1)-1:0] bytes;
  logic [SLOT_W:0] own;

  kumi_keep_to_count #(
      .KEEP_W(KEEP_W)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(bytes)
  );

  always_comb begin
    own = '0;
    for (int i = 0; i < SLOTS; i++) begin
      same[i] = used_q[i] && slot_q[i].sid == s_axis.tdest;
      own += (SLOT_W + 1)'(same[i]);
    end
    free = '0;
    for (int i = SLOTS - 1; i >= 0; i--) if (!used_q[i]) free = SLOT_W'(i);
    free_any = !(&used_q);
  end

  assign partial = 32'(bytes) != KEEP_W;
  assign fits = filling_q && slot_q[fill_q].sid == s_axis.tdest;
  // A beat allocates its buffer in the cycle before it is accepted.
  assign alloc = s_axis.tvalid && !filling_q && free_any && 32'(own) < SLOTS / 2;
  assign s_axis.tready = fits;
  assign beat = s_axis.tvalid && s_axis.tready;
  assign finish = filling_q && (!beat || s_axis.tlast || partial || 32'(beats_q) == BEATS - 1);

  always_ff @(posedge clk) begin
    if (alloc) begin
      filling_q <= 1'b1;
      fill_q <= free;
      beats_q <= '0;
    end
    if (beat) beats_q <= beats_q + 1'b1;
    if (finish) filling_q <= 1'b0;
    if (rst) filling_q <= 1'b0;
  end

  always_ff @(posedge clk) if (beat) mem[{fill_q, beats_q[BEAT_W-1:0]}] <= s_axis.tdata;

  // ---- selection ------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    REST,
    WRITE,
    WROTE,
    SEND,
    CLOSE,
    RELEASE
  } state_e;

  state_e state_q;
  slot_t now_q;
  tcp_write_rsp_t wrote;
  logic [SLOT_W-1:0] pick_index, now_index_q;
  logic [$clog2(RETRY)-1:0] timer_q;
  logic refused, sent;

  always_comb begin
    for (int i = 0; i < SLOTS; i++) begin
      eligible[i] = full_q[i] && !retry_q[i];
      for (int j = 0; j < SLOTS; j++) begin
        if (older_q[i][j] && used_q[j] && slot_q[j].sid == slot_q[i].sid) eligible[i] = 1'b0;
      end
    end
    pick_index = '0;
    for (int i = 0; i < SLOTS; i++) if (pick[i]) pick_index |= SLOT_W'(i);
  end

  kumi_arbiter #(
      .N(SLOTS)
  ) u_arbiter (
      .clk,
      .rst,
      .req  (eligible),
      .done (state_q == REST),
      .grant(pick)
  );

  assign wrote = tcp_write_rsp_t'(s_write.data);
  assign refused = state_q == WROTE && s_write.valid && wrote.reason == TCP_NO_SPACE;
  assign m_write.valid = state_q == WRITE;
  assign m_write.data = {now_q.sid, now_q.length};
  assign s_write.ready = state_q == WROTE;
  assign m_close.valid = state_q == CLOSE;
  assign m_close.data = {now_q.sid, now_q.abort_};

  always_ff @(posedge clk) begin
    timer_q <= timer_q - 1'b1;
    ev_drop <= 1'b0;
    // All sessions waiting for space are retried together.
    if (timer_q == '0) retry_q <= '0;
    if (refused) retry_q[now_index_q] <= 1'b1;
    case (state_q)
      REST: begin
        now_q <= slot_q[pick_index];
        now_index_q <= pick_index;
        if (|eligible) begin
          if (slot_q[pick_index].length != '0) state_q <= WRITE;
          else state_q <= slot_q[pick_index].close ? CLOSE : RELEASE;
        end
      end
      WRITE: if (m_write.ready) state_q <= WROTE;
      WROTE:
      if (s_write.valid) begin
        if (wrote.reason == TCP_OK) begin
          state_q <= SEND;
        end else if (refused) begin
          state_q <= REST;
        end else begin
          ev_drop <= 1'b1;
          state_q <= RELEASE;
        end
      end
      SEND: if (sent) state_q <= now_q.close ? CLOSE : RELEASE;
      CLOSE: if (m_close.ready) state_q <= RELEASE;
      default: state_q <= REST;
    endcase
    if (alloc) begin
      used_q[free]  <= 1'b1;
      slot_q[free]  <= '{sid: s_axis.tdest, length: '0, close: 1'b0, abort_: 1'b0};
      older_q[free] <= used_q;
    end
    if (beat) begin
      slot_q[fill_q].length <= slot_q[fill_q].length + 16'(bytes);
      slot_q[fill_q].close  <= s_axis.tlast;
      slot_q[fill_q].abort_ <= s_axis.tlast && s_axis.tuser[0];
    end
    if (finish) full_q[fill_q] <= 1'b1;
    if (state_q == RELEASE) begin
      used_q[now_index_q] <= 1'b0;
      full_q[now_index_q] <= 1'b0;
      for (int i = 0; i < SLOTS; i++) older_q[i][now_index_q] <= 1'b0;
    end
    if (rst) begin
      state_q <= REST;
      used_q  <= '0;
      full_q  <= '0;
      retry_q <= '0;
      timer_q <= '0;
      ev_drop <= 1'b0;
    end
  end

  // ---- data of a write ------------------------------------------------------------------------
  logic [BEAT_W:0] at_q, total;
  logic [LOG_W-1:0] rest;
  logic read, out_free, got_q, got_last_q, ending;
  logic [KEEP_W-1:0] ones, got_keep_q;
  logic [DATA_W-1:0] got_data_q;

  assign ones = '1;
  assign total = (BEAT_W + 1)'((now_q.length + 16'(KEEP_W - 1)) >> LOG_W);
  assign rest = now_q.length[LOG_W-1:0];
  assign out_free = !got_q || m_axis.tready;
  assign read = state_q == SEND && at_q != total && out_free;
  assign ending = at_q == total - 1'b1;
  assign sent = got_q && got_last_q && m_axis.tready;

  always_ff @(posedge clk) begin
    if (out_free) begin
      got_q <= read;
      got_data_q <= mem[{now_index_q, at_q[BEAT_W-1:0]}];
      got_last_q <= ending;
      got_keep_q <= ending && rest != '0 ? ones >> (KEEP_W - 32'(rest)) : ones;
    end
    if (state_q != SEND) at_q <= '0;
    else if (read) at_q <= at_q + 1'b1;
    if (rst) got_q <= 1'b0;
  end

  assign m_axis.tvalid = got_q;
  assign m_axis.tdata = got_data_q;
  assign m_axis.tkeep = got_keep_q;
  assign m_axis.tlast = got_last_q;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign busy = used_q != '0 || state_q != REST;

  logic unused;
  assign unused = ^{wrote, s_axis.tid, s_axis.tuser};
endmodule
