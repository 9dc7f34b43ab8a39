// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_nic_dma_check with two regions: once a region is valid, no request outside the
// pages of the valid regions is ever seen at memory, whatever the master asks and whatever memory
// answers; and no beat is offered to memory without a request that was passed on.
//
// The regions are any, as first page and page behind the last (that software's base and length
// become these is tested, not proved). Assumed: they do not change while a request is under way (a
// change takes effect for the requests behind it), and one that is refused comes only when memory has
// answered the ones before, as the module waits for. Bursts lie in a page, so the first address
// stands for all of them.
`include "kumi_assert.svh"
module nic_dma_check_formal (
    input logic        clk,
    input logic        rst,
    input logic        region_write,
    input logic        region_index,
    input logic [ 2:0] region_field,
    input logic [31:0] region_data,
    input logic [63:0] awaddr,
    input logic [ 7:0] awlen,
    input logic        awvalid,
    input logic        wvalid,
    input logic        wlast,
    input logic [63:0] araddr,
    input logic [ 7:0] arlen,
    input logic        arvalid,
    input logic        m_awready,
    input logic        m_wready,
    input logic        m_bvalid,
    input logic        m_arready,
    input logic        m_rvalid,
    input logic        m_rlast
);
  logic awready, wready, bvalid, arready, rvalid, rlast;
  logic m_awvalid, m_wvalid, m_wlast, m_arvalid;
  logic [1:0] bresp, rresp;
  logic [63:0] m_awaddr, m_araddr;
  logic [7:0] m_awlen, m_arlen;
  logic awid, arid, bid, rid;
  logic [7:0] wdata, rdata;
  logic wstrb;

  kumi_nic_dma_check #(
      .DATA_W (8),
      .ID_W   (1),
      .REGIONS(2),
      .OPEN   (4)
  ) u_dut (
      .clk,
      .rst,
      .region_write,
      .region_index({3'd0, region_index}),
      .region_field,
      .region_data,
      .s_awid('0),
      .s_awaddr(awaddr),
      .s_awlen(awlen),
      .s_awvalid(awvalid),
      .s_awready(awready),
      .s_wdata('0),
      .s_wstrb('1),
      .s_wlast(wlast),
      .s_wvalid(wvalid),
      .s_wready(wready),
      .s_bid(bid),
      .s_bresp(bresp),
      .s_bvalid(bvalid),
      .s_arid('0),
      .s_araddr(araddr),
      .s_arlen(arlen),
      .s_arvalid(arvalid),
      .s_arready(arready),
      .s_rid(rid),
      .s_rdata(rdata),
      .s_rresp(rresp),
      .s_rlast(rlast),
      .s_rvalid(rvalid),
      .m_awid(awid),
      .m_awaddr,
      .m_awlen,
      .m_awvalid,
      .m_awready,
      .m_wdata(wdata),
      .m_wstrb(wstrb),
      .m_wlast,
      .m_wvalid,
      .m_wready,
      .m_bid('0),
      .m_bresp('0),
      .m_bvalid,
      .m_arid(arid),
      .m_araddr,
      .m_arlen,
      .m_arvalid,
      .m_arready,
      .m_rid('0),
      .m_rdata('0),
      .m_rresp('0),
      .m_rlast,
      .m_rvalid
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // ---- the regions ---------------------------------------------------------------------------
  function automatic logic reachable(input logic [63:0] addr);
    reachable = u_dut.valid_q == '0;
    for (int i = 0; i < 2; ++i) begin
      if (u_dut.valid_q[i] && addr[63:12] >= u_dut.first_q[i] && addr[63:12] < u_dut.behind_q[i])
        reachable = 1'b1;
    end
  endfunction

  logic under_way, since_q;
  assign under_way = |u_dut.first_valid_q || |u_dut.judged_valid_q || |u_dut.out_valid_q || awvalid ||
      arvalid;
  always_ff @(posedge clk) since_q <= rst || region_write;
  `KUMI_ASSUME(a_still, !region_write || (!under_way && region_field <= 3'd4))
  // The flags are seen a cycle later.
  `KUMI_ASSUME(a_seen, !(awvalid || arvalid) || (!since_q && !region_write))

  `KUMI_ASSERT(i_any, since_q || u_dut.any_q == |u_dut.valid_q)
  `KUMI_ASSERT(i_quiet,
               !since_q || !(|u_dut.first_valid_q || |u_dut.judged_valid_q || |u_dut.out_valid_q))
  for (genvar d = 0; d < 2; ++d) begin : gen_way
    logic [51:0] page;
    assign page = u_dut.first_step_q[d].addr[63:12];
    for (genvar i = 0; i < 2; ++i) begin : gen_region
      `KUMI_ASSERT(i_steps,
                   !u_dut.first_valid_q[d] || (
          u_dut.gen_way[d].from_gt_q[i] == (u_dut.valid_q[i] && page[51:26] > u_dut.first_q[i][51:26]) &&
          u_dut.gen_way[d].from_eq_q[i] == (u_dut.valid_q[i] && page[51:26] == u_dut.first_q[i][51:26]) &&
          u_dut.gen_way[d].from_low_q[i] == (page[25:0] >= u_dut.first_q[i][25:0]) &&
          u_dut.gen_way[d].to_lt_q[i] == (page[51:26] < u_dut.behind_q[i][51:26]) &&
          u_dut.gen_way[d].to_eq_q[i] == (page[51:26] == u_dut.behind_q[i][51:26]) &&
          u_dut.gen_way[d].to_low_q[i] == (page[25:0] < u_dut.behind_q[i][25:0])))
    end
    `KUMI_ASSERT(i_good, !(u_dut.judged_valid_q[d] && u_dut.good_q[d]) || reachable(
                 u_dut.judged_q[d].addr))
  end

  `KUMI_ASSERT(p_read, !m_arvalid || reachable(m_araddr))
  `KUMI_ASSERT(p_write, !m_awvalid || reachable(m_awaddr))

  // ---- memory answers what it was asked ------------------------------------------------------
  logic [3:0] reads_q, writes_q, beats_q;
  always_ff @(posedge clk) begin
    reads_q  <= reads_q + 4'(m_arvalid && m_arready) - 4'(m_rvalid && m_rlast);
    writes_q <= writes_q + 4'(m_awvalid && m_awready) - 4'(m_bvalid);
    beats_q  <= beats_q + 4'(m_wvalid && m_wready && m_wlast) - 4'(m_bvalid);
    if (rst) begin
      reads_q  <= '0;
      writes_q <= '0;
      beats_q  <= '0;
    end
  end
  `KUMI_ASSUME(a_r, !m_rvalid || reads_q != '0)
  `KUMI_ASSUME(a_b, !m_bvalid || (writes_q != '0 && beats_q != '0))
  `KUMI_ASSERT(
      i_open,
      4'(u_dut.open_q[1]) == writes_q + 4'(m_awvalid) && u_dut.open_q[1] <= 3'd4 && writes_q <= 4'd4)
  `KUMI_ASSERT(
      i_reads,
      4'(u_dut.open_q[0]) == reads_q + 4'(m_arvalid) && u_dut.open_q[0] <= 3'd4 && reads_q <= 4'd4)
  `KUMI_ASSERT(
      i_data, u_dut.data_open_q == u_dut.open_q[1] - 3'(beats_q) && beats_q <= 4'(u_dut.open_q[1]))
  `KUMI_ASSERT(p_data, !m_wvalid || beats_q < writes_q + 4'(m_awvalid))

  `KUMI_COVER(c_denied_read, rvalid && rlast && rresp == 2'b11)
  `KUMI_COVER(c_denied_write, bvalid && bresp == 2'b11)
  `KUMI_COVER(c_read, m_arvalid && u_dut.valid_q == 2'b11)
  `KUMI_COVER(c_write, m_wvalid && m_wready && u_dut.valid_q == 2'b10)

  logic unused;
  assign unused = ^{awready, wready, arready, m_awlen, m_arlen, awid, arid, bid, rid, wdata, rdata,
                    wstrb};
endmodule
