// SPDX-License-Identifier: Apache-2.0
//
// Load unit of generated kernels: elements from addresses, many in flight, in order.
//
// req_*: byte addresses, multiples of BYTES. rsp_*: an element for each request, in order. Both are
//   valid/ready streams; req_ready does not depend on req_valid.
// m_axi: reads of whole words. Requests to the same word as the one before share its read, requests
//   to the following words of a 4 KiB page join one burst of at most BURST beats. A burst is sent
//   when it is complete, or in the first cycle without a request.
// A read never begins before its request, so a request made after a store has been answered sees
//   what was stored. DEPTH elements and words have room; rready is always high.
// Latency: request to AR 2 cycles, R to the element 3. Throughput: an element a cycle.
// Bad input: an error response sets failed until reset; its data is passed on.
module kumi_hls_load #(
    parameter int BYTES = 4,   // of an element, a power of two, at most the width of m_axi
    parameter int DEPTH = 64,  // requests in flight, a power of two
    parameter int BURST = 8    // most beats of a burst
) (
    input logic clk,
    input logic rst,
    input logic [31:0] req_addr,
    input logic req_valid,
    output logic req_ready,
    output logic [8*BYTES-1:0] rsp_data,
    output logic rsp_valid,
    input logic rsp_ready,
    output logic failed,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int WORD_BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(WORD_BYTES);
  localparam int LANES = WORD_BYTES / BYTES;
  localparam int PICK_W = LANES > 1 ? $clog2(LANES) : 1;
  localparam int ROOM_W = $clog2(DEPTH) + 1;

  if (BYTES * LANES != WORD_BYTES || BYTES < 1) begin : gen_check_bytes
    $fatal(0, "BYTES must divide the width of m_axi (%m)");
  end
  if (BURST < 1 || BURST > 16 || BURST > DEPTH) begin : gen_check_burst
    $fatal(0, "BURST must be 1..16, at most DEPTH (%m)");
  end

  typedef struct packed {
    logic [31-LANE_W:0] word;
    logic [3:0] len;  // beats less one
  } load_run_t;
  typedef struct packed {
    logic fresh;  // the first element of a word that was read
    logic [PICK_W-1:0] pick;
  } elem_t;

  // ---- requests join a burst -----------------------------------------------------------------
  logic [31-LANE_W:0] word, last_q;
  logic [PICK_W-1:0] pick;
  load_run_t run_q;
  logic open_q, take, same, following, extend, close, ar_room, elem_room, full_q;
  logic [ROOM_W-1:0] words_q;  // words asked for and not yet used
  logic word_used, fresh;

  assign word = req_addr[31:LANE_W];
  if (LANES > 1) begin : gen_pick
    assign pick = req_addr[LANE_W-1-:PICK_W];
  end else begin : gen_one
    assign pick = '0;
  end

  assign same = open_q && word == last_q;
  assign following = open_q && word == last_q + 1'b1 && word[11-LANE_W:0] != '0;
  assign extend = following && run_q.len != 4'(BURST - 1);
  assign req_ready = ar_room && elem_room && !full_q;
  assign take = req_valid && req_ready;
  assign fresh = !same;
  assign close = open_q && (take ? fresh && !extend : ar_room);

  always_ff @(posedge clk) begin
    if (close) open_q <= 1'b0;
    if (take) begin
      open_q <= 1'b1;
      last_q <= word;
      if (extend) run_q.len <= run_q.len + 1'b1;
      else if (fresh) run_q <= '{word: word, len: '0};
    end
    words_q <= words_q + ROOM_W'(take && fresh) - ROOM_W'(word_used);
    full_q  <= words_q >= ROOM_W'(DEPTH - 2);
    if (rst) begin
      open_q  <= 1'b0;
      words_q <= '0;
      full_q  <= 1'b0;
    end
  end

  load_run_t ar;
  logic [3:0] ar_depth;
  kumi_fifo #(
      .W($bits(load_run_t)),
      .DEPTH(8)
  ) u_ar (
      .clk,
      .rst,
      .s_data (run_q),
      .s_valid(close),
      .s_ready(ar_room),
      .m_data (ar),
      .m_valid(m_axi.arvalid),
      .m_ready(m_axi.arready),
      .depth  (ar_depth)
  );

  assign m_axi.arid = '0;
  assign m_axi.araddr = (m_axi.ADDR_W)'({ar.word, {LANE_W{1'b0}}});
  assign m_axi.arlen = {4'd0, ar.len};
  assign m_axi.arsize = 3'(LANE_W);
  assign m_axi.arburst = 2'b01;

  // ---- elements wait for their words ---------------------------------------------------------
  elem_t elem;
  logic elem_valid, elem_take, data_valid, data_ready, data_room, out_room;
  logic [DATA_W-1:0] data, word_q, from;
  logic [ROOM_W-1:0] elem_depth, data_depth;
  logic [8*BYTES-1:0] chosen;

  kumi_fifo #(
      .W($bits(elem_t)),
      .DEPTH(DEPTH)
  ) u_elem (
      .clk,
      .rst,
      .s_data ({fresh, pick}),
      .s_valid(take),
      .s_ready(elem_room),
      .m_data (elem),
      .m_valid(elem_valid),
      .m_ready(elem_take),
      .depth  (elem_depth)
  );

  kumi_fifo #(
      .W(DATA_W),
      .DEPTH(DEPTH)
  ) u_data (
      .clk,
      .rst,
      .s_data (m_axi.rdata),
      .s_valid(m_axi.rvalid),
      .s_ready(data_room),
      .m_data (data),
      .m_valid(data_valid),
      .m_ready(data_ready),
      .depth  (data_depth)
  );
  assign m_axi.rready = 1'b1;

  assign elem_take = elem_valid && out_room && (!elem.fresh || data_valid);
  assign data_ready = elem_take && elem.fresh;
  assign word_used = data_ready;
  assign from = elem.fresh ? data : word_q;
  if (LANES > 1) begin : gen_choose
    assign chosen = from[8*BYTES*elem.pick+:8*BYTES];
  end else begin : gen_whole
    assign chosen = from;
  end
  assign out_room = !rsp_valid || rsp_ready;

  always_ff @(posedge clk) begin
    if (data_ready) word_q <= data;
    if (out_room) begin
      rsp_data  <= chosen;
      rsp_valid <= elem_take;
    end
    if (m_axi.rvalid && m_axi.rresp[1]) failed <= 1'b1;
    if (rst) begin
      rsp_valid <= 1'b0;
      failed <= 1'b0;
    end
  end

  // ---- no writes -----------------------------------------------------------------------------
  assign m_axi.awid = '0;
  assign m_axi.awaddr = '0;
  assign m_axi.awlen = '0;
  assign m_axi.awsize = '0;
  assign m_axi.awburst = '0;
  assign m_axi.awvalid = 1'b0;
  assign m_axi.wdata = '0;
  assign m_axi.wstrb = '0;
  assign m_axi.wlast = 1'b0;
  assign m_axi.wvalid = 1'b0;
  assign m_axi.bready = 1'b1;

  logic unused;
  assign unused = ^{m_axi.awready, m_axi.wready, m_axi.bvalid, m_axi.bid, m_axi.bresp, m_axi.rid,
                    m_axi.rlast, m_axi.rresp[0], data_room, elem.pick, req_addr,
                    ar_depth, elem_depth, data_depth};
endmodule
