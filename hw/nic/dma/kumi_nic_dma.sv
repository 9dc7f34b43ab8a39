// SPDX-License-Identifier: Apache-2.0
//
// All memory accesses of the NIC: its clients' reads and writes to one AXI4 master, checked against
// the regions that were set.
//
// ar_*, r_*, aw_*, w_*, b_*: clients, see kumi_dma_read_mux and kumi_dma_write_mux. The transaction
//   id is the client's number. Each client's requests have a register slice of their own, so that
//   whose turn it is joins no two clients in a cycle. region_*: see kumi_nic_dma_check.
// m_axi: rready and bready are always high.
module kumi_nic_dma #(
    parameter int DATA_W  = 512,  // bits of the memory port
    parameter int READERS = 11,
    parameter int WRITERS = 6
) (
    input logic clk,
    input logic rst,
    input logic region_write,
    input logic [3:0] region_index,
    input logic [2:0] region_field,
    input logic [31:0] region_data,

    // clients
    input logic [READERS-1:0] ar_valid,
    output logic [READERS-1:0] ar_ready,
    input logic [READERS-1:0][63:0] ar_addr,
    input logic [READERS-1:0][7:0] ar_len,
    output logic [READERS-1:0] r_valid,
    output logic [DATA_W-1:0] r_data,
    output logic [1:0] r_resp,
    input logic [WRITERS-1:0] aw_valid,
    output logic [WRITERS-1:0] aw_ready,
    input logic [WRITERS-1:0][63:0] aw_addr,
    input logic [WRITERS-1:0][7:0] aw_len,
    input logic [WRITERS-1:0] w_valid,
    output logic [WRITERS-1:0] w_ready,
    input logic [WRITERS-1:0][DATA_W-1:0] w_data,
    input logic [WRITERS-1:0][DATA_W/8-1:0] w_strb,
    input logic [WRITERS-1:0] w_last,
    output logic [WRITERS-1:0] b_valid,
    output logic [1:0] b_resp,

    kumi_axi_if.mst m_axi
);
  if (m_axi.DATA_W != DATA_W || m_axi.ADDR_W != 64 || m_axi.ID_W != 4) begin : gen_check_axi
    $fatal(0, "m_axi has DATA_W bits, 64 of address and 4 of id (%m)");
  end

  localparam int REQUEST_W = 64 + 8;
  logic [READERS-1:0] read_valid, read_ready;
  logic [READERS-1:0][63:0] read_addr;
  logic [READERS-1:0][ 7:0] read_len;
  logic [WRITERS-1:0] write_valid, write_ready;
  logic [WRITERS-1:0][63:0] write_addr;
  logic [WRITERS-1:0][ 7:0] write_len;

  for (genvar i = 0; i < READERS; ++i) begin : gen_reader
    kumi_slice #(
        .W(REQUEST_W),
        .MODE(2)
    ) u_slice (
        .clk,
        .rst,
        .s_data ({ar_addr[i], ar_len[i]}),
        .s_valid(ar_valid[i]),
        .s_ready(ar_ready[i]),
        .m_data ({read_addr[i], read_len[i]}),
        .m_valid(read_valid[i]),
        .m_ready(read_ready[i])
    );
  end
  for (genvar i = 0; i < WRITERS; ++i) begin : gen_writer
    kumi_slice #(
        .W(REQUEST_W),
        .MODE(2)
    ) u_slice (
        .clk,
        .rst,
        .s_data ({aw_addr[i], aw_len[i]}),
        .s_valid(aw_valid[i]),
        .s_ready(aw_ready[i]),
        .m_data ({write_addr[i], write_len[i]}),
        .m_valid(write_valid[i]),
        .m_ready(write_ready[i])
    );
  end

  logic [3:0] arid, rid, awid, bid;
  logic [63:0] araddr, awaddr;
  logic [7:0] arlen, awlen;
  logic [1:0] rresp, bresp;
  logic [DATA_W-1:0] rdata, wdata;
  logic [DATA_W/8-1:0] wstrb;
  logic arvalid, arready, rlast, rvalid, rready;
  logic awvalid, awready, wlast, wvalid, wready, bvalid, bready;

  kumi_dma_read_mux #(
      .N(READERS),
      .DATA_W(DATA_W),
      .AHEAD(1)
  ) u_reads (
      .clk,
      .rst,
      .ar_valid(read_valid),
      .ar_ready(read_ready),
      .ar_addr(read_addr),
      .ar_len(read_len),
      .r_valid,
      .r_data,
      .r_resp,
      .m_axi_arid(arid),
      .m_axi_araddr(araddr),
      .m_axi_arlen(arlen),
      .m_axi_arsize(m_axi.arsize),
      .m_axi_arburst(m_axi.arburst),
      .m_axi_arvalid(arvalid),
      .m_axi_arready(arready),
      .m_axi_rid(rid),
      .m_axi_rdata(rdata),
      .m_axi_rresp(rresp),
      .m_axi_rlast(rlast),
      .m_axi_rvalid(rvalid),
      .m_axi_rready(rready)
  );

  kumi_dma_write_mux #(
      .N(WRITERS),
      .DATA_W(DATA_W),
      .AHEAD(1)
  ) u_writes (
      .clk,
      .rst,
      .aw_valid(write_valid),
      .aw_ready(write_ready),
      .aw_addr(write_addr),
      .aw_len(write_len),
      .w_valid,
      .w_ready,
      .w_data,
      .w_strb,
      .w_last,
      .b_valid,
      .b_resp,
      .m_axi_awid(awid),
      .m_axi_awaddr(awaddr),
      .m_axi_awlen(awlen),
      .m_axi_awsize(m_axi.awsize),
      .m_axi_awburst(m_axi.awburst),
      .m_axi_awvalid(awvalid),
      .m_axi_awready(awready),
      .m_axi_wdata(wdata),
      .m_axi_wstrb(wstrb),
      .m_axi_wlast(wlast),
      .m_axi_wvalid(wvalid),
      .m_axi_wready(wready),
      .m_axi_bid(bid),
      .m_axi_bresp(bresp),
      .m_axi_bvalid(bvalid),
      .m_axi_bready(bready)
  );

  kumi_nic_dma_check #(
      .DATA_W(DATA_W)
  ) u_check (
      .clk,
      .rst,
      .region_write,
      .region_index,
      .region_field,
      .region_data,
      .s_awid(awid),
      .s_awaddr(awaddr),
      .s_awlen(awlen),
      .s_awvalid(awvalid),
      .s_awready(awready),
      .s_wdata(wdata),
      .s_wstrb(wstrb),
      .s_wlast(wlast),
      .s_wvalid(wvalid),
      .s_wready(wready),
      .s_bid(bid),
      .s_bresp(bresp),
      .s_bvalid(bvalid),
      .s_arid(arid),
      .s_araddr(araddr),
      .s_arlen(arlen),
      .s_arvalid(arvalid),
      .s_arready(arready),
      .s_rid(rid),
      .s_rdata(rdata),
      .s_rresp(rresp),
      .s_rlast(rlast),
      .s_rvalid(rvalid),
      .m_awid(m_axi.awid),
      .m_awaddr(m_axi.awaddr),
      .m_awlen(m_axi.awlen),
      .m_awvalid(m_axi.awvalid),
      .m_awready(m_axi.awready),
      .m_wdata(m_axi.wdata),
      .m_wstrb(m_axi.wstrb),
      .m_wlast(m_axi.wlast),
      .m_wvalid(m_axi.wvalid),
      .m_wready(m_axi.wready),
      .m_bid(m_axi.bid),
      .m_bresp(m_axi.bresp),
      .m_bvalid(m_axi.bvalid),
      .m_arid(m_axi.arid),
      .m_araddr(m_axi.araddr),
      .m_arlen(m_axi.arlen),
      .m_arvalid(m_axi.arvalid),
      .m_arready(m_axi.arready),
      .m_rid(m_axi.rid),
      .m_rdata(m_axi.rdata),
      .m_rresp(m_axi.rresp),
      .m_rlast(m_axi.rlast),
      .m_rvalid(m_axi.rvalid)
  );
  assign m_axi.rready = 1'b1;
  assign m_axi.bready = 1'b1;

  logic unused;
  assign unused = ^{rready, bready};
endmodule
