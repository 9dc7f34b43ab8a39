// SPDX-License-Identifier: Apache-2.0
//
// Moves byte ranges between host, memory and the parity engine, one at a time, and computes their
// CRC-32C. A chunk from parity may come in several moves (`resume`).
//
// s_move, m_moved: move_req_t, and move_rsp_t when the move is complete (in memory, if that is its
//   target). Several moves may form one host frame; a frame that ends early or late is `bad`, and
//   its remainder is discarded, so the next move starts with the next frame. Of a move from memory
//   to parity there is no checksum.
// s_host, m_host, m_parity, s_parity: frames. The last beat to the host waits for the checksum and
//   is marked bad if that differs. A frame of s_parity is one move.
// m_axi: 32 bits or wider; bursts of BURST_BYTES; space for read data is reserved beforehand.
// Latency: about 12 cycles plus memory; throughput: one beat per cycle.
module kumi_array_data_mover
  import kumi_array_pkg::*;
#(
    parameter int BURST_BYTES = 512  // longest burst
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_move,
    kumi_rec_if.src m_moved,
    kumi_axis_if.snk s_host,
    kumi_axis_if.src m_host,
    kumi_axis_if.src m_parity,
    kumi_axis_if.snk s_parity,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int ADDR_W = m_axi.ADDR_W;
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int LOW = ADDR_W - 1;
  localparam int JOB = 4096;  // bytes per memory job
  localparam int COUNT_W = 26 - LANE_W;

  if (s_move.W != $bits(move_req_t) || m_moved.W != $bits(move_rsp_t)) begin : gen_check
    $fatal(0, "s_move and m_moved must be as wide as their records (%m)");
  end
  if (DATA_W < 32) begin : gen_check_w
    $fatal(0, "m_axi must be 32 bits or wider (%m)");
  end

  typedef enum logic [2:0] {
    IDLE,
    RUN,
    SUM,
    DRAIN,
    SETTLE,
    DONE
  } state_e;
  state_e state_q;
  move_req_t move, move_q;
  logic bad_q, ended_q, differs_q, sum_valid;
  logic [31:0] sum;
  logic [1:0][31:0] sum_q;  // of each result of parity; of other moves the first
  logic [COUNT_W-1:0] left_q;  // beats
  logic begin_move, summed;

  assign move = s_move.data;
  assign summed = !(move_q.to_parity && move_q.from == MOVE_FROM_MEMORY);
  assign s_move.ready = state_q == IDLE;
  assign begin_move = s_move.valid && s_move.ready;

  // ---- jobs of memory: of up to JOB bytes -----------------------------------------------------
  logic [ADDR_W-1:0] job_addr_q;
  logic [25:0] job_left_q;
  logic [15:0] job_len;
  logic job_any, job_take, rd_ready, wr_ready;

  assign job_any  = job_left_q != '0;
  assign job_len  = job_left_q > 26'(JOB) ? 16'(JOB) : 16'(job_left_q);
  assign job_take = move_q.from == MOVE_FROM_MEMORY ? rd_ready : wr_ready;
  always_ff @(posedge clk) begin
    if (begin_move) begin
      job_addr_q <= ADDR_W'(move.addr);
      job_left_q <= move.from == MOVE_FROM_MEMORY || move.to_memory ? move.bytes : '0;
    end else if (job_any && job_take) begin
      job_addr_q <= job_addr_q + ADDR_W'(JOB);
      job_left_q <= job_left_q - 26'(job_len);
    end
    if (rst) job_left_q <= '0;
  end

  // ---- what comes -----------------------------------------------------------------------------
  logic [DATA_W-1:0] mem_data, beat;
  logic [BYTES-1:0] mem_keep;
  logic mem_last, mem_bad, mem_valid, mem_ready, no_tag, done, done_tag, done_bad, read_idle;
  logic valid, ready, last, from_bad, beat_go;

  kumi_ring_read #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(LOW),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(4 * BURST_BYTES / BYTES),
      .JOBS(4)
  ) u_read (
      .clk,
      .rst,
      .job_hi(job_addr_q[ADDR_W-1:LOW]),
      .job_off(job_addr_q[LOW-1:0]),
      .job_len,
      .job_tag(1'b0),
      .job_valid(job_any && move_q.from == MOVE_FROM_MEMORY),
      .job_ready(rd_ready),
      .ar_addr(m_axi.araddr),
      .ar_len(m_axi.arlen),
      .ar_valid(m_axi.arvalid),
      .ar_ready(m_axi.arready),
      .r_data(m_axi.rdata),
      .r_bad(m_axi.rresp[1]),
      .r_valid(m_axi.rvalid),
      .r_ready(m_axi.rready),
      .m_data(mem_data),
      .m_keep(mem_keep),
      .m_last(mem_last),
      .m_bad(mem_bad),
      .m_tag(no_tag),
      .m_valid(mem_valid),
      .m_ready(mem_ready),
      .done,
      .done_tag,
      .done_bad,
      .done_ready(1'b1),
      .idle(read_idle)
  );
  assign m_axi.arid = '0;
  assign m_axi.arsize = 3'(LANE_W);
  assign m_axi.arburst = 2'b01;

  // A host frame that ends early is padded with zeros.
  assign last = left_q == COUNT_W'(1);
  always_comb begin
    case (move_q.from)
      MOVE_FROM_HOST: begin
        beat = ended_q ? '0 : s_host.tdata;
        valid = s_host.tvalid || ended_q;
        from_bad = !ended_q && s_host.tlast && (s_host.tuser[0] || !(&s_host.tkeep)
            || !(last && move_q.last));
      end
      MOVE_FROM_MEMORY: begin
        beat = mem_data;
        valid = mem_valid;
        from_bad = mem_last && mem_bad;
      end
      default: begin
        beat = s_parity.tdata;
        valid = s_parity.tvalid;
        from_bad = s_parity.tlast && s_parity.tuser[0];
      end
    endcase
  end
  assign beat_go = state_q == RUN && valid && ready;
  assign s_host.tready = (state_q == RUN && ready && move_q.from == MOVE_FROM_HOST && !ended_q)
      || state_q == DRAIN;
  assign mem_ready = state_q == RUN && ready && move_q.from == MOVE_FROM_MEMORY;
  assign s_parity.tready = state_q == RUN && ready && move_q.from == MOVE_FROM_PARITY;

  // ---- where it goes: a register, then all of those that take part ----------------------------
  logic [DATA_W-1:0] out_q;
  logic out_valid_q, out_last_q, mem_sink, host_sink, parity_sink, host_go;
  logic wr_beat_ready, wr_done_q, host_done_q, parity_done_q, out_done;

  assign mem_sink = !move_q.to_memory || wr_done_q || wr_beat_ready;
  assign host_sink = !move_q.to_host || host_done_q || (m_host.tready && host_go);
  assign parity_sink = !move_q.to_parity || parity_done_q || m_parity.tready;
  assign out_done = out_valid_q && mem_sink && host_sink && parity_sink;
  assign ready = !out_valid_q || out_done;
  // The last beat waits for the checksum.
  logic sum_known_q;
  assign host_go = !out_last_q || sum_known_q;

  always_ff @(posedge clk) begin
    if (ready) begin
      out_q <= beat;
      out_last_q <= last;
      out_valid_q <= beat_go;
      wr_done_q <= 1'b0;
      host_done_q <= 1'b0;
      parity_done_q <= 1'b0;
    end else begin
      if (wr_beat_ready) wr_done_q <= 1'b1;
      if (m_host.tready && host_go) host_done_q <= 1'b1;
      if (m_parity.tready) parity_done_q <= 1'b1;
    end
    if (rst) out_valid_q <= 1'b0;
  end

  assign m_host.tdata = out_q;
  assign m_host.tkeep = '1;
  assign m_host.tvalid = out_valid_q && move_q.to_host && host_go && !host_done_q;
  assign m_host.tlast = out_last_q && move_q.last;
  assign m_host.tuser = m_host.tlast && (differs_q || bad_q);
  assign m_host.tid = '0;
  assign m_host.tdest = '0;
  assign m_parity.tdata = out_q;
  assign m_parity.tkeep = '1;
  assign m_parity.tvalid = out_valid_q && move_q.to_parity && !parity_done_q;
  assign m_parity.tlast = out_last_q;
  assign m_parity.tuser = 1'b0;
  assign m_parity.tid = '0;
  assign m_parity.tdest = '0;

  // The checksum of A and B in a row is that of B, of which the first four bytes are XORed with the
  // checksum of A.
  logic [31:0] carry_q;  // checksum of what came before; 0 behind the first beat
  always_ff @(posedge clk) begin
    if (begin_move) carry_q <= move.resume ? sum_q[move.result] : '0;
    else if (beat_go) carry_q <= '0;
  end
  kumi_crc32c #(
      .DATA_W(DATA_W)
  ) u_sum (
      .clk,
      .rst,
      .in_valid (beat_go && summed),
      .in_last  (last),
      .in_data  (beat ^ DATA_W'(carry_q)),
      .in_keep  ('1),
      .out_valid(sum_valid),
      .out_crc  (sum)
  );

  // ---- to memory: a job of the writer is a frame of up to JOB bytes ---------------------------
  localparam int JOB_BEATS = JOB / BYTES;
  localparam int BURSTS_W = 17 - $clog2(BURST_BYTES);
  logic [$clog2(JOB_BEATS)-1:0] job_beat_q;
  logic start, took, end_full, end_long, wr_bad_q;
  logic [BURSTS_W-1:0] job_bursts;
  logic [16:0] open_q;  // bursts without a response yet
  logic [LANE_W:0] gain;

  kumi_ring_write #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(LOW),
      .BURST_BYTES(BURST_BYTES)
  ) u_write (
      .clk,
      .rst,
      .job_hi(job_addr_q[ADDR_W-1:LOW]),
      .job_off(job_addr_q[LOW-1:0]),
      .job_skip('0),
      .job_len,
      .job_valid(job_any && move_q.to_memory),
      .job_ready(wr_ready),
      .start,
      .may_start(1'b1),
      .job_bursts,
      .may_end(1'b1),
      .took,
      .gain,
      .end_full,
      .end_long,
      .s_data(out_q),
      .s_bytes((LANE_W + 1)'(BYTES)),
      .s_last(out_last_q || job_beat_q == '1),
      .s_valid(out_valid_q && move_q.to_memory && !wr_done_q),
      .s_ready(wr_beat_ready),
      .aw_addr(m_axi.awaddr),
      .aw_len(m_axi.awlen),
      .aw_valid(m_axi.awvalid),
      .aw_ready(m_axi.awready),
      .w_data(m_axi.wdata),
      .w_strb(m_axi.wstrb),
      .w_last(m_axi.wlast),
      .w_valid(m_axi.wvalid),
      .w_ready(m_axi.wready)
  );
  assign m_axi.awid = '0;
  assign m_axi.awsize = 3'(LANE_W);
  assign m_axi.awburst = 2'b01;
  assign m_axi.bready = 1'b1;

  always_ff @(posedge clk) begin
    if (out_valid_q && move_q.to_memory && !wr_done_q && wr_beat_ready)
      job_beat_q <= job_beat_q + 1'b1;
    open_q <= open_q + (start ? 17'(job_bursts) : '0) - 17'(m_axi.bvalid);
    if (m_axi.bvalid && m_axi.bresp[1]) wr_bad_q <= 1'b1;
    if (begin_move) begin
      job_beat_q <= '0;
      wr_bad_q   <= 1'b0;
    end
    if (rst) open_q <= '0;
  end

  // ---- the course of a move -------------------------------------------------------------------
  always_ff @(posedge clk) begin
    case (state_q)
      IDLE:
      if (s_move.valid) begin
        move_q <= move;
        left_q <= move.bytes[25:LANE_W];
        bad_q <= 1'b0;
        differs_q <= 1'b0;
        sum_known_q <= move.to_parity && move.from == MOVE_FROM_MEMORY;
        state_q <= RUN;
      end
      RUN:
      if (beat_go) begin
        left_q <= left_q - 1'b1;
        if (from_bad) bad_q <= 1'b1;
        if (move_q.from == MOVE_FROM_HOST && s_host.tlast && !ended_q) ended_q <= 1'b1;
        if (last) state_q <= SUM;
      end
      SUM:
      if (sum_known_q) begin
        if (move_q.from == MOVE_FROM_HOST && move_q.last && !ended_q) begin
          bad_q   <= 1'b1;
          state_q <= DRAIN;
        end else state_q <= SETTLE;
      end
      DRAIN:   if (s_host.tvalid && s_host.tlast) state_q <= SETTLE;
      SETTLE:
      if (!out_valid_q && !job_any && open_q == '0) begin
        if (move_q.last) ended_q <= 1'b0;
        state_q <= DONE;
      end
      default: if (m_moved.ready) state_q <= IDLE;
    endcase
    if (sum_valid) begin
      sum_q[move_q.result] <= sum;
      sum_known_q <= 1'b1;
      differs_q <= move_q.check && sum != move_q.crc;
    end
    if (rst) begin
      state_q <= IDLE;
      ended_q <= 1'b0;
      sum_known_q <= 1'b0;
    end
  end
  assign m_moved.valid = state_q == DONE;
  assign m_moved.data = move_rsp_t'{
          bad: bad_q || wr_bad_q,
          differs: differs_q,
          crc: sum_q[move_q.result]
      };

  logic unused;
  assign unused = ^{no_tag, done, done_tag, done_bad, read_idle, mem_keep, took, gain, end_full,
                    end_long, move_q, s_host.tid, s_host.tdest, s_parity.tkeep, s_parity.tid,
                    s_parity.tdest, m_axi.bid, m_axi.rid, m_axi.rlast};
endmodule
