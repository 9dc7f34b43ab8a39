// SPDX-License-Identifier: Apache-2.0
//
// DMA between the controller's requests and a block-device port: write data comes from memory, read
// data goes to memory.
//
// s_io: disk_req_t, at most one outstanding per context_; m_end: disk_rsp_t, one each, in any
//   order, after read data has reached memory. The buffer of a write must remain unchanged until
//   its completion: the port may fetch parts of it again.
// cmd, rsp, fetch, wr, segment, rd: streams of a block-device port (kumi_blk_pkg).
// m_axi: bursts of BURST_BYTES; space for read data is reserved beforehand.
// Latency: 2 cycles for a request; throughput: one beat per cycle and direction.
// Bad input: a read frame that is bad or longer than 16 KiB is discarded; the port sends it again.
// A memory error on read data completes with DISK_MEM_ERROR; on write data the port reports
// BLK_BAD_DATA.
module kumi_array_port_dma
  import kumi_array_pkg::*;
  import kumi_blk_pkg::*;
#(
    parameter int BURST_BYTES = 512  // longest burst
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_io,
    kumi_rec_if.src m_end,
    kumi_rec_if.src cmd,
    kumi_rec_if.snk rsp,
    kumi_rec_if.snk fetch,
    kumi_axis_if.src wr,
    kumi_rec_if.snk segment,
    kumi_axis_if.snk rd,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int ADDR_W = m_axi.ADDR_W;
  localparam int BYTES = DATA_W / 8;
  localparam int CONTEXTS = 16;
  localparam int FRAME = 16384 / BYTES;
  localparam int SEGMENTS = 16;
  localparam int LOW = ADDR_W - 1;  // no ring: half of the address space

  if (s_io.W != $bits(disk_req_t) || m_end.W != $bits(disk_rsp_t)) begin : gen_check
    $fatal(0, "s_io and m_end must be as wide as their records (%m)");
  end

  // ---- requests -------------------------------------------------------------------------------
  disk_req_t io;
  blk_cmd_t request;
  logic [ADDR_W-1:0] addr_q[CONTEXTS];
  logic [4:0] position_q[CONTEXTS];

  assign io = s_io.data;
  assign request = '{
          tag: 16'(io.context_),
          op: io.op == DISK_READ ? BLK_READ : io.op == DISK_WRITE ? BLK_WRITE : BLK_FLUSH,
          fua: 1'b0,
          feature: '0,
          sectors: io.sectors,
          lba: io.lba
      };
  kumi_slice #(
      .W($bits(blk_cmd_t)),
      .MODE(2)
  ) u_cmd (
      .clk,
      .rst,
      .s_data (request),
      .s_valid(s_io.valid),
      .s_ready(s_io.ready),
      .m_data (cmd.data),
      .m_valid(cmd.valid),
      .m_ready(cmd.ready)
  );
  always_ff @(posedge clk) begin
    if (s_io.valid && s_io.ready) begin
      addr_q[io.context_] <= ADDR_W'(io.addr);
      position_q[io.context_] <= io.position;
    end
  end

  // ---- data of writes: fetched from memory ----------------------------------------------------
  blk_fetch_t want;
  logic [ADDR_W-1:0] want_addr;
  logic tag_out, done, done_bad, no_tag, read_idle;
  assign want = fetch.data;
  assign want_addr = addr_q[want.tag[3:0]] + ADDR_W'(want.offset);

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
      .job_hi(want_addr[ADDR_W-1:LOW]),
      .job_off(want_addr[LOW-1:0]),
      .job_len(16'(want.bytes)),
      .job_tag(1'b0),
      .job_valid(fetch.valid),
      .job_ready(fetch.ready),
      .ar_addr(m_axi.araddr),
      .ar_len(m_axi.arlen),
      .ar_valid(m_axi.arvalid),
      .ar_ready(m_axi.arready),
      .r_data(m_axi.rdata),
      .r_bad(m_axi.rresp[1]),
      .r_valid(m_axi.rvalid),
      .r_ready(m_axi.rready),
      .m_data(wr.tdata),
      .m_keep(wr.tkeep),
      .m_last(wr.tlast),
      .m_bad(wr.tuser),
      .m_tag(tag_out),
      .m_valid(wr.tvalid),
      .m_ready(wr.tready),
      .done,
      .done_tag(no_tag),
      .done_bad,
      .done_ready(1'b1),
      .idle(read_idle)
  );
  assign wr.tid = '0;
  assign wr.tdest = '0;
  assign m_axi.arid = '0;
  assign m_axi.arsize = 3'($clog2(BYTES));
  assign m_axi.arburst = 2'b01;

  // ---- data of reads: whole frames, then to memory --------------------------------------------
  // A frame is accepted when its segment record is present and there is space to store it.
  kumi_axis_if #(.DATA_W(DATA_W)) in ();
  kumi_axis_if #(.DATA_W(DATA_W)) held ();
  kumi_rec_if #(.W(15)) len ();
  logic open, good, bad, full, oversize, place_valid, place_pop, place_room, in_last;
  logic [$clog2(FRAME):0] frame_depth;
  logic [$clog2(SEGMENTS):0] place_depth;
  blk_segment_t segment_now, segment_q;
  logic [ADDR_W-1:0] place, place_in;
  logic [11:0] in_q, out_q;  // frames received, frames finished
  logic [3:0] place_context, job_context_q;
  logic [CONTEXTS-1:0] broken_q;  // memory error

  assign open = segment.valid && !place_depth[$clog2(SEGMENTS)] && !place_depth[$clog2(SEGMENTS)-1];
  assign in.tdata = rd.tdata;
  assign in.tkeep = rd.tkeep;
  assign in.tlast = rd.tlast;
  assign in.tuser = rd.tuser;
  assign in.tid = '0;
  assign in.tdest = '0;
  assign in.tvalid = rd.tvalid && open;
  assign rd.tready = in.tready && open;
  assign in_last = in.tvalid && in.tready && in.tlast;
  assign segment.ready = in_last;
  assign segment_now = segment.data;

  always_ff @(posedge clk) begin
    if (in_last) begin
      segment_q <= segment_now;
      in_q <= in_q + 1'b1;
    end
    if (rst) in_q <= '0;
  end

  kumi_axis_frame_fifo #(
      .DEPTH(FRAME),
      .DROP_FULL(1'b0),
      .LEN_DEPTH(SEGMENTS)
  ) u_frames (
      .clk,
      .rst,
      .s_axis(in),
      .m_axis(held),
      .m_len(len),
      .depth(frame_depth),
      .ev_good(good),
      .ev_bad(bad),
      .ev_full(full),
      .ev_oversize(oversize)
  );

  assign place_in = addr_q[segment_q.tag[3:0]] + ADDR_W'(segment_q.offset);
  kumi_fifo #(
      .W(4 + ADDR_W),
      .DEPTH(SEGMENTS)
  ) u_places (
      .clk,
      .rst,
      .s_data ({segment_q.tag[3:0], place_in}),
      .s_valid(good),
      .s_ready(place_room),
      .m_data ({place_context, place}),
      .m_valid(place_valid),
      .m_ready(place_pop),
      .depth  (place_depth)
  );

  // One frame at a time: the next starts after the last write response.
  localparam int BURSTS_W = 17 - $clog2(BURST_BYTES);
  logic job_valid, job_ready, start, took, end_full, end_long, busy_q, b_fire;
  logic [BURSTS_W-1:0] job_bursts, left_q;
  logic [$clog2(BYTES):0] beat_bytes, gain;

  kumi_keep_to_count #(
      .KEEP_W(BYTES)
  ) u_count (
      .keep (held.tkeep),
      .count(beat_bytes)
  );

  assign job_valid = place_valid && len.valid && !busy_q;
  assign place_pop = job_valid && job_ready;
  assign len.ready = place_pop;

  kumi_ring_write #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(LOW),
      .BURST_BYTES(BURST_BYTES)
  ) u_write (
      .clk,
      .rst,
      .job_hi(place[ADDR_W-1:LOW]),
      .job_off(place[LOW-1:0]),
      .job_skip('0),
      .job_len(16'(len.data)),
      .job_valid,
      .job_ready,
      .start,
      .may_start(1'b1),
      .job_bursts,
      .may_end(1'b1),
      .took,
      .gain,
      .end_full,
      .end_long,
      .s_data(held.tdata),
      .s_bytes(beat_bytes),
      .s_last(held.tlast),
      .s_valid(held.tvalid),
      .s_ready(held.tready),
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
  assign m_axi.awsize = 3'($clog2(BYTES));
  assign m_axi.awburst = 2'b01;
  assign m_axi.bready = 1'b1;
  assign b_fire = m_axi.bvalid;

  always_ff @(posedge clk) begin
    if (start) job_context_q <= place_context;
    if (s_io.valid && s_io.ready) broken_q[io.context_] <= 1'b0;
    if (b_fire && m_axi.bresp[1]) broken_q[job_context_q] <= 1'b1;
    if (start) left_q <= job_bursts - BURSTS_W'(b_fire);
    else if (b_fire) left_q <= left_q - 1'b1;
    if (place_pop) busy_q <= 1'b1;
    else if (busy_q && left_q == '0) busy_q <= 1'b0;
    out_q <= out_q + 12'(busy_q && left_q == '0) + 12'(bad || full || oversize);
    if (rst) begin
      left_q <= '0;
      busy_q <= 1'b0;
      out_q  <= '0;
    end
  end

  // ---- responses, behind their data -----------------------------------------------------------
  blk_rsp_t answer_q;
  logic answer_valid_q, settled_q;
  logic [11:0] until_q;

  assign rsp.ready = !answer_valid_q;
  assign m_end.valid = answer_valid_q && settled_q;
  assign m_end.data = disk_rsp_t'{
          position: position_q[answer_q.tag[3:0]],
          context_: answer_q.tag[3:0],
          status: broken_q[answer_q.tag[3:0]] ? DISK_MEM_ERROR : 4'(answer_q.status)
      };
  always_ff @(posedge clk) begin
    settled_q <= answer_valid_q && !m_end.ready && (settled_q || out_q == until_q);
    if (rsp.valid && rsp.ready) begin
      answer_q <= rsp.data;
      until_q <= in_q + 12'(in_last);
      answer_valid_q <= 1'b1;
      settled_q <= 1'b0;
    end
    if (answer_valid_q && settled_q && m_end.ready) answer_valid_q <= 1'b0;
    if (rst) answer_valid_q <= 1'b0;
  end

  logic unused;
  assign unused = ^{tag_out, done, done_bad, no_tag, read_idle, frame_depth, place_room, took, gain,
                    end_full, end_long, held.tuser, held.tid, held.tdest, answer_q, want, segment_q,
                    len.data, m_axi.bid, m_axi.rid, m_axi.rlast};
endmodule
