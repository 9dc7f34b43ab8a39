// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axil_demux: a free master, and two free blocks that may be slow, never accept,
// or never respond.
//
// Assumed: the master keeps the AXI rules; a block responds only to a request, and never DECERR.
// Proved: the rules on every side, one response per operation in bounded time whatever the blocks
// do, and that no operation gets the response of another.
`include "kumi_assert.svh"
module axil_demux_formal (
    input logic       clk,
    input logic       rst,
    input logic       awvalid,
    input logic       wvalid,
    input logic       arvalid,
    input logic [3:0] page,     // address bits 15:12
    input logic [1:0] awready,
    input logic [1:0] wready,
    input logic [1:0] arready,
    input logic [1:0] bvalid,
    input logic [1:0] rvalid,
    input logic [1:0] error,
    input logic [7:0] data,
    input logic       ready
);
  localparam int TIMEOUT = 3;
  // States of the block, by number: the proof front end does not see its enumeration.
  localparam logic [1:0] IDLE = 2'd0;
  localparam logic [1:0] ISSUE = 2'd1;
  localparam logic [1:0] WAIT = 2'd2;
  localparam logic [1:0] RESPOND = 2'd3;

  kumi_axil_if s ();
  kumi_axil_if m[2] ();

  kumi_axil_demux #(
      .N(2),
      .TIMEOUT(TIMEOUT)
  ) u_dut (
      .clk,
      .rst,
      .s_axil(s),
      .m_axil(m)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  assign s.awaddr  = {16'h0, page, 12'h004};
  assign s.araddr  = {16'h0, page, 12'h008};
  assign s.awprot  = '0;
  assign s.arprot  = '0;
  assign s.wdata   = {4{data}};
  assign s.wstrb   = '1;
  assign s.awvalid = awvalid;
  assign s.wvalid  = wvalid;
  assign s.arvalid = arvalid;
  assign s.bready  = ready;
  assign s.rready  = ready;

  // The master holds what it offers.
  logic aw_wait_q, w_wait_q, ar_wait_q;
  logic [3:0] page_q;
  logic [7:0] data_q;
  always_ff @(posedge clk) begin
    aw_wait_q <= !rst && s.awvalid && !s.awready;
    w_wait_q  <= !rst && s.wvalid && !s.wready;
    ar_wait_q <= !rst && s.arvalid && !s.arready;
    page_q    <= page;
    data_q    <= data;
  end
  `KUMI_ASSUME(m_aw, !aw_wait_q || (awvalid && page == page_q))
  `KUMI_ASSUME(m_w, !w_wait_q || (wvalid && data == data_q))
  `KUMI_ASSUME(m_ar, !ar_wait_q || (arvalid && page == page_q))

  // Blocks: asked_q counts address and data that came without an answer yet.
  logic [1:0] aw_in, w_in, ar_in, owes_w, owes_r;
  for (genvar k = 0; k < 2; ++k) begin : gen_block
    assign m[k].awready = awready[k];
    assign m[k].wready = wready[k];
    assign m[k].arready = arready[k];
    assign m[k].bvalid = bvalid[k];
    assign m[k].rvalid = rvalid[k];
    assign m[k].bresp = {error[k], 1'b0};
    assign m[k].rresp = {error[k], 1'b0};
    assign m[k].rdata = {4{data}};
    assign aw_in[k] = m[k].awvalid && awready[k];
    assign w_in[k] = m[k].wvalid && wready[k];
    assign ar_in[k] = m[k].arvalid && arready[k];

    logic aw_q, w_q, ar_q;  // taken, not answered
    assign owes_w[k] = aw_q && w_q;
    assign owes_r[k] = ar_q;
    always_ff @(posedge clk) begin
      aw_q <= (aw_q || aw_in[k]) && !bvalid[k];
      w_q  <= (w_q || w_in[k]) && !bvalid[k];
      ar_q <= (ar_q || ar_in[k]) && !rvalid[k];
      if (rst) begin
        aw_q <= 1'b0;
        w_q  <= 1'b0;
        ar_q <= 1'b0;
      end
    end
    `KUMI_ASSUME(m_answer_w, !bvalid[k] || (owes_w[k]))
    `KUMI_ASSUME(m_answer_r, !rvalid[k] || (owes_r[k]))
    // No second request before the answer.
    `KUMI_ASSERT(a_one_aw, !m[k].awvalid || (!aw_q && !ar_q))
    `KUMI_ASSERT(a_one_w, !m[k].wvalid || (!w_q && !ar_q))
    `KUMI_ASSERT(a_one_ar, !m[k].arvalid || (!ar_q && !aw_q && !w_q))
    // Requests are held.
    logic aw_held_q, w_held_q, ar_held_q;
    logic [31:0] addr_q, wdata_q;
    always_ff @(posedge clk) begin
      aw_held_q <= !rst && m[k].awvalid && !awready[k];
      w_held_q  <= !rst && m[k].wvalid && !wready[k];
      ar_held_q <= !rst && m[k].arvalid && !arready[k];
      addr_q    <= m[k].awaddr;
      wdata_q   <= m[k].wdata;
    end
    `KUMI_ASSERT(a_aw, !aw_held_q || (m[k].awvalid && m[k].awaddr == addr_q))
    `KUMI_ASSERT(a_w, !w_held_q || (m[k].wvalid && m[k].wdata == wdata_q))
    `KUMI_ASSERT(a_ar, !ar_held_q || (m[k].arvalid && m[k].araddr == addr_q))
    // An open request belongs to the operation under way or is remembered.
    logic open, open_w, mine;
    assign open_w = aw_q || w_q || m[k].awvalid || m[k].wvalid;
    assign open   = open_w || ar_q || m[k].arvalid;
    assign mine   = u_dut.state_q == WAIT && u_dut.sel_q == k;
    `KUMI_ASSERT(i_open, !open || mine || u_dut.owing_q[k])
    `KUMI_ASSERT(i_owing, !u_dut.owing_q[k] || (open && !mine))
    `KUMI_ASSERT(i_mine,
                 !mine || (u_dut.write_q ? open_w && !ar_q && !m[k].arvalid :
                                   (ar_q || m[k].arvalid) && !open_w))
    // Address and data both: taken or still offered, not lost.
    `KUMI_ASSERT(i_pair, !open_w || ((aw_q || m[k].awvalid) && (w_q || m[k].wvalid)))
    `KUMI_ASSERT(i_apart, !(open_w && (ar_q || m[k].arvalid)))
  end

  // The operation under way.
  logic op_q, op_write_q, op_mapped_q;
  logic [3:0] op_age_q;
  logic take, done;
  assign take = (s.awvalid && s.awready) || (s.arvalid && s.arready);
  assign done = (s.bvalid && s.bready) || (s.rvalid && s.rready);
  always_ff @(posedge clk) begin
    if (take) begin
      op_q <= 1'b1;
      op_write_q <= s.awready;
      op_mapped_q <= page < 2;
      op_age_q <= '0;
    end else begin
      if (done) op_q <= 1'b0;
      if (!(s.bvalid || s.rvalid)) op_age_q <= op_age_q + 1'b1;
    end
    if (rst) op_q <= 1'b0;
  end

  `KUMI_ASSERT(a_pair, s.awready == s.wready)
  `KUMI_ASSERT(a_valid_first, !s.awready || (s.awvalid && s.wvalid))
  `KUMI_ASSERT(a_single, !take || !op_q)
  `KUMI_ASSERT(
      a_answer,
      !(s.bvalid || s.rvalid) || (op_q && s.bvalid == op_write_q && s.rvalid == !op_write_q))
  `KUMI_ASSERT(a_bounded, !op_q || op_age_q <= TIMEOUT + 3)
  `KUMI_ASSERT(
      a_decerr,
      !(op_q && (s.bvalid || s.rvalid)) || ((s.bresp == 2'b11) == !op_mapped_q && s.rresp == s.bresp))
  // An OKAY comes from the block, in this operation.
  logic okay_q;
  always_ff @(posedge clk) begin
    if (u_dut.state_q == WAIT)
      okay_q <= u_dut.answered && !error[u_dut.sel_q] && !u_dut.owing_q[u_dut.sel_q];
    else if (u_dut.state_q != RESPOND) okay_q <= 1'b0;
  end
  `KUMI_ASSERT(a_okay, !(s.bvalid || s.rvalid) || s.bresp != 2'b00 || okay_q)

  `KUMI_ASSERT(i_op, op_q == (u_dut.state_q != IDLE))
  `KUMI_ASSERT(i_write, !op_q || op_write_q == u_dut.write_q)
  `KUMI_ASSERT(i_sel, u_dut.sel_q < 2)
  `KUMI_ASSERT(
      i_state,
      !(u_dut.state_q == ISSUE || u_dut.state_q == WAIT) || (op_mapped_q && u_dut.resp_q == 2'b10))
  `KUMI_ASSERT(i_issue, u_dut.state_q != ISSUE || (!u_dut.jam && op_age_q == 0))
  `KUMI_ASSERT(i_jam, !(u_dut.jam && u_dut.state_q != WAIT) || u_dut.owing_q[u_dut.sel_q])
  `KUMI_ASSERT(i_kind, !((u_dut.aw_q || u_dut.w_q) && u_dut.ar_q))
  `KUMI_ASSERT(
      i_timer,
      u_dut.state_q != WAIT || (u_dut.timer_q <= TIMEOUT && op_age_q + u_dut.timer_q == TIMEOUT + 1))

  `KUMI_COVER(c_write, s.bvalid && s.bresp == 2'b00)
  `KUMI_COVER(c_read, s.rvalid && s.rresp == 2'b00)
  `KUMI_COVER(c_timeout, s.rvalid && u_dut.owing_q != '0)
  logic late_q;
  always_ff @(posedge clk) late_q <= !rst && (late_q || u_dut.owing_q != '0);
  `KUMI_COVER(c_again, late_q && u_dut.owing_q == '0 && s.rvalid && s.rresp == 2'b00)
endmodule
