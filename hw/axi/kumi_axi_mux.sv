// SPDX-License-Identifier: Apache-2.0
//
// AXI4 multiplexer: N masters share one memory, round-robin; instances can be cascaded into a tree.
//
// s_axi[i]: INCR bursts of at most BURST_BYTES. A master reserves space for its read data and keeps
//   rready and bready asserted. Write data is collected until its burst is complete, so a stalled
//   master blocks no other.
// m_axi: bursts of all masters with id 0, answered in order.
// Latency: 2 cycles for an address, 3 for write data, 0 for responses and read data. Throughput:
// one beat per cycle and direction.
// Bad input: error responses are returned to the master of the burst.
module kumi_axi_mux #(
    parameter int N           = 4,   // users
    parameter int BURST_BYTES = 512  // longest burst
) (
    input logic clk,
    input logic rst,
    kumi_axi_if.slv s_axi[N],
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int ADDR_W = m_axi.ADDR_W;
  localparam int STRB_W = DATA_W / 8;
  localparam int USER_W = N == 1 ? 1 : $clog2(N);
  localparam int BEATS = BURST_BYTES / STRB_W;
  localparam int ROOM = 2 * BEATS < 16 ? 16 : 2 * BEATS;
  localparam int OPEN = 32;  // bursts under way each way

  typedef struct packed {
    logic [ADDR_W-1:0] addr;
    logic [7:0]        len;
  } burst_t;
  typedef struct packed {
    logic              last;
    logic [STRB_W-1:0] strb;
    logic [DATA_W-1:0] data;
  } beat_t;

  if (N < 1 || BURST_BYTES < STRB_W) begin : gen_check
    $fatal(0, "at least one user, and bursts of at least a beat (%m)");
  end

  // ---- a user's side ------------------------------------------------------------------------
  burst_t [N-1:0] aw, ar;
  beat_t [N-1:0] w;
  logic [N-1:0] aw_valid, aw_take, w_valid, w_take, ar_valid, ar_take, r_ready, whole;
  logic b_valid, r_valid;
  logic [USER_W-1:0] b_user, r_user, w_user;

  for (genvar i = 0; i < N; i++) begin : gen_user
    logic [3:0] whole_q;
    logic pushed;
    logic [2:0] aw_depth;
    logic [$clog2(ROOM):0] w_depth;

    kumi_fifo #(
        .W($bits(burst_t)),
        .DEPTH(4)
    ) u_aw (
        .clk,
        .rst,
        .s_data ({s_axi[i].awaddr, s_axi[i].awlen}),
        .s_valid(s_axi[i].awvalid),
        .s_ready(s_axi[i].awready),
        .m_data (aw[i]),
        .m_valid(aw_valid[i]),
        .m_ready(aw_take[i]),
        .depth  (aw_depth)
    );
    kumi_fifo #(
        .W($bits(beat_t)),
        .DEPTH(ROOM)
    ) u_w (
        .clk,
        .rst,
        .s_data ({s_axi[i].wlast, s_axi[i].wstrb, s_axi[i].wdata}),
        .s_valid(s_axi[i].wvalid && whole_q != '1),
        .s_ready(pushed),
        .m_data (w[i]),
        .m_valid(w_valid[i]),
        .m_ready(w_take[i]),
        .depth  (w_depth)
    );
    assign s_axi[i].wready = pushed && whole_q != '1;
    // Bursts whose data are whole and whose address has not gone yet.
    always_ff @(posedge clk) begin
      whole_q <= whole_q + 4'(s_axi[i].wvalid && s_axi[i].wready && s_axi[i].wlast)
          - 4'(aw_take[i]);
      if (rst) whole_q <= '0;
    end
    assign whole[i] = whole_q != '0;
    assign ar[i] = '{addr: s_axi[i].araddr, len: s_axi[i].arlen};
    assign ar_valid[i] = s_axi[i].arvalid;
    assign s_axi[i].arready = ar_take[i];
    assign s_axi[i].bid = '0;
    assign s_axi[i].bresp = m_axi.bresp;
    assign s_axi[i].bvalid = b_valid && b_user == USER_W'(i);
    assign s_axi[i].rid = '0;
    assign s_axi[i].rdata = m_axi.rdata;
    assign s_axi[i].rresp = m_axi.rresp;
    assign s_axi[i].rlast = m_axi.rlast;
    assign s_axi[i].rvalid = r_valid && r_user == USER_W'(i);
    assign r_ready[i] = s_axi[i].rready;
    logic unused;
    assign unused = ^{aw_depth, w_depth};
  end

  function automatic logic [USER_W-1:0] index_of(input logic [N-1:0] one);
    index_of = '0;
    for (int i = 0; i < N; i++) if (one[i]) index_of |= USER_W'(i);
  endfunction

  // ---- addresses of writes, and whose data are next -----------------------------------------
  logic [N-1:0] aw_grant, ar_grant;
  logic aw_room, w_room, b_room, ar_room, r_room, aw_go, ar_go;
  logic w_some, b_some, r_some, w_pop;
  logic [$clog2(OPEN):0] w_open, b_open, r_open;

  kumi_arbiter #(
      .N(N)
  ) u_aw_turn (
      .clk,
      .rst,
      .req  (aw_valid & whole),
      .done (aw_go),
      .grant(aw_grant)
  );
  assign aw_go   = |aw_grant && aw_room && w_room && b_room;
  assign aw_take = aw_go ? aw_grant : '0;

  kumi_slice #(
      .W($bits(burst_t)),
      .MODE(2)
  ) u_aw_out (
      .clk,
      .rst,
      .s_data (aw[index_of(aw_grant)]),
      .s_valid(aw_go),
      .s_ready(aw_room),
      .m_data ({m_axi.awaddr, m_axi.awlen}),
      .m_valid(m_axi.awvalid),
      .m_ready(m_axi.awready)
  );
  assign m_axi.awid = '0;
  assign m_axi.awsize = 3'($clog2(STRB_W));
  assign m_axi.awburst = 2'b01;

  kumi_fifo #(
      .W(USER_W),
      .DEPTH(OPEN)
  ) u_w_order (
      .clk,
      .rst,
      .s_data (index_of(aw_grant)),
      .s_valid(aw_go),
      .s_ready(w_room),
      .m_data (w_user),
      .m_valid(w_some),
      .m_ready(w_pop),
      .depth  (w_open)
  );
  kumi_fifo #(
      .W(USER_W),
      .DEPTH(OPEN)
  ) u_b_order (
      .clk,
      .rst,
      .s_data (index_of(aw_grant)),
      .s_valid(aw_go),
      .s_ready(b_room),
      .m_data (b_user),
      .m_valid(b_some),
      .m_ready(b_valid),
      .depth  (b_open)
  );
  assign m_axi.bready = b_some;
  assign b_valid = m_axi.bvalid && b_some;

  // ---- write data ---------------------------------------------------------------------------
  logic w_out_room, w_move;
  assign w_move = w_some && w_valid[w_user] && w_out_room;
  assign w_pop  = w_move && w[w_user].last;
  always_comb begin
    w_take = '0;
    w_take[w_user] = w_move;
  end
  kumi_slice #(
      .W($bits(beat_t)),
      .MODE(2)
  ) u_w_out (
      .clk,
      .rst,
      .s_data (w[w_user]),
      .s_valid(w_move),
      .s_ready(w_out_room),
      .m_data ({m_axi.wlast, m_axi.wstrb, m_axi.wdata}),
      .m_valid(m_axi.wvalid),
      .m_ready(m_axi.wready)
  );

  // ---- reads --------------------------------------------------------------------------------
  kumi_arbiter #(
      .N(N)
  ) u_ar_turn (
      .clk,
      .rst,
      .req  (ar_valid),
      .done (ar_go),
      .grant(ar_grant)
  );
  assign ar_go   = |ar_grant && ar_room && r_room;
  assign ar_take = ar_go ? ar_grant : '0;

  kumi_slice #(
      .W($bits(burst_t)),
      .MODE(2)
  ) u_ar_out (
      .clk,
      .rst,
      .s_data (ar[index_of(ar_grant)]),
      .s_valid(ar_go),
      .s_ready(ar_room),
      .m_data ({m_axi.araddr, m_axi.arlen}),
      .m_valid(m_axi.arvalid),
      .m_ready(m_axi.arready)
  );
  assign m_axi.arid = '0;
  assign m_axi.arsize = 3'($clog2(STRB_W));
  assign m_axi.arburst = 2'b01;

  kumi_fifo #(
      .W(USER_W),
      .DEPTH(OPEN)
  ) u_r_order (
      .clk,
      .rst,
      .s_data (index_of(ar_grant)),
      .s_valid(ar_go),
      .s_ready(r_room),
      .m_data (r_user),
      .m_valid(r_some),
      .m_ready(r_valid && m_axi.rready && m_axi.rlast),
      .depth  (r_open)
  );
  assign r_valid = m_axi.rvalid && r_some;
  assign m_axi.rready = r_some && r_ready[r_user];

  logic unused;
  assign unused = ^{w_open, b_open, r_open, m_axi.bid, m_axi.rid};
endmodule
