// SPDX-License-Identifier: Apache-2.0
//
// Store unit of generated kernels: elements to addresses, joined into words and bursts.
//
// req_*: an element of 1, 2, 4, ... BYTES bytes and its address, a multiple of its size; a
//   valid/ready stream whose ready does not depend on valid. req_strb has a bit for each byte, from
//   bit 0 on; req_data holds the element as often as it fits. Elements reach memory in order.
// m_axi: writes. Elements of one word become one beat, beats of following words of a 4 KiB page one
//   burst of at most BURST beats. A burst ends when an element does not continue it, after WAIT
//   cycles without an element, or with flush.
// flush: high while somebody waits for idle. idle: every element accepted until the cycle before is
//   in memory (its response has come).
// Latency: element to AW 3 cycles after its burst ends. Throughput: an element a cycle.
// Bad input: an error response sets failed until reset.
module kumi_hls_store #(
    parameter int BYTES = 4,  // of an element, a power of two, at most the width of m_axi
    parameter int BURST = 8,  // most beats of a burst
    parameter int WAIT  = 15  // cycles that an unfinished burst waits for more
) (
    input logic clk,
    input logic rst,
    input logic [31:0] req_addr,
    input logic [8*BYTES-1:0] req_data,
    input logic [BYTES-1:0] req_strb,
    input logic req_valid,
    output logic req_ready,
    input logic flush,
    output logic idle,
    output logic failed,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int STRB_W = DATA_W / 8;
  localparam int LANE_W = $clog2(STRB_W);
  localparam int LANES = STRB_W / BYTES;
  localparam int OPEN_W = 8;  // bits of the count of bursts without a response
  localparam int WAIT_W = $clog2(WAIT + 1);

  if (BYTES * LANES != STRB_W || BYTES < 1) begin : gen_check_bytes
    $fatal(0, "BYTES must divide the width of m_axi (%m)");
  end
  if (BURST < 1 || BURST > 16 || WAIT < 1) begin : gen_check_burst
    $fatal(0, "BURST must be 1..16, WAIT at least 1 (%m)");
  end

  typedef struct packed {
    logic [31-LANE_W:0] word;
    logic [3:0] len;  // beats less one
  } store_run_t;
  typedef struct packed {
    logic last;
    logic [STRB_W-1:0] strb;
    logic [DATA_W-1:0] data;
  } store_beat_t;

  logic [31-LANE_W:0] word, word_q;
  logic [STRB_W-1:0] strb, strb_q;
  logic [DATA_W-1:0] data, data_q;
  store_run_t run_q;
  logic open_q, take, same, following, extend, close, push, aw_room, w_room, late;
  logic [WAIT_W-1:0] wait_q;
  logic [OPEN_W-1:0] open_bursts_q;
  logic full_q;

  assign word = req_addr[31:LANE_W];
  assign data = {LANES{req_data}};
  assign strb = STRB_W'(req_strb) << req_addr[LANE_W-1:0];

  assign same = open_q && word == word_q;
  assign following = open_q && word == word_q + 1'b1 && word[11-LANE_W:0] != '0;
  assign extend = following && run_q.len != 4'(BURST - 1);
  assign req_ready = aw_room && w_room && !full_q;
  assign take = req_valid && req_ready;
  assign late = wait_q == '0 || flush;
  // The word under construction leaves when another begins, or when the burst ends.
  assign close = open_q && (take ? !same && !extend : late && aw_room && w_room);
  assign push = close || (take && extend);

  always_ff @(posedge clk) begin
    if (close) open_q <= 1'b0;
    if (take) begin
      open_q <= 1'b1;
      word_q <= word;
      strb_q <= same ? strb_q | strb : strb;
      for (int i = 0; i < STRB_W; i++) begin
        if (strb[i] || !same) data_q[8*i+:8] <= data[8*i+:8];
      end
      if (extend) run_q.len <= run_q.len + 1'b1;
      else if (!same) run_q <= '{word: word, len: '0};
    end
    if (take) wait_q <= WAIT_W'(WAIT);
    else if (wait_q != '0) wait_q <= wait_q - 1'b1;
    open_bursts_q <= open_bursts_q + OPEN_W'(close) - OPEN_W'(m_axi.bvalid);
    full_q <= open_bursts_q[OPEN_W-1];
    if (m_axi.bvalid && m_axi.bresp[1]) failed <= 1'b1;
    if (rst) begin
      open_q <= 1'b0;
      wait_q <= '0;
      open_bursts_q <= '0;
      full_q <= 1'b0;
      failed <= 1'b0;
    end
  end

  assign idle = !open_q && open_bursts_q == '0;

  store_run_t aw;
  logic [3:0] aw_depth;
  kumi_fifo #(
      .W($bits(store_run_t)),
      .DEPTH(8)
  ) u_aw (
      .clk,
      .rst,
      .s_data (run_q),
      .s_valid(close),
      .s_ready(aw_room),
      .m_data (aw),
      .m_valid(m_axi.awvalid),
      .m_ready(m_axi.awready),
      .depth  (aw_depth)
  );

  assign m_axi.awid = '0;
  assign m_axi.awaddr = (m_axi.ADDR_W)'({aw.word, {LANE_W{1'b0}}});
  assign m_axi.awlen = {4'd0, aw.len};
  assign m_axi.awsize = 3'(LANE_W);
  assign m_axi.awburst = 2'b01;

  store_beat_t beat;
  logic [5:0] w_depth;
  kumi_fifo #(
      .W($bits(store_beat_t)),
      .DEPTH(32)
  ) u_w (
      .clk,
      .rst,
      .s_data ({close, strb_q, data_q}),
      .s_valid(push),
      .s_ready(w_room),
      .m_data (beat),
      .m_valid(m_axi.wvalid),
      .m_ready(m_axi.wready),
      .depth  (w_depth)
  );

  assign m_axi.wdata = beat.data;
  assign m_axi.wstrb = beat.strb;
  assign m_axi.wlast = beat.last;
  assign m_axi.bready = 1'b1;

  // ---- no reads ------------------------------------------------------------------------------
  assign m_axi.arid = '0;
  assign m_axi.araddr = '0;
  assign m_axi.arlen = '0;
  assign m_axi.arsize = '0;
  assign m_axi.arburst = '0;
  assign m_axi.arvalid = 1'b0;
  assign m_axi.rready = 1'b1;

  logic unused;
  assign unused = ^{m_axi.arready, m_axi.rvalid, m_axi.rdata, m_axi.rid, m_axi.rlast, m_axi.rresp,
                    m_axi.bid, m_axi.bresp[0], req_addr, aw_depth, w_depth};
endmodule
