// SPDX-License-Identifier: Apache-2.0
//
// Single 64-bit accesses to AXI4 memory, one at a time.
//
// req, we, addr, wdata: held until `done`, a pulse with rdata, and with bad if memory returned an
//   error. addr is a multiple of 8. m_axi: bursts of one beat, of which 64 bits are used.
// Latency: that of memory plus 2 cycles.
module kumi_axi_single #(
    parameter int PLACE_W = 32  // bits of addr
) (
    input logic clk,
    input logic rst,
    input logic req,
    input logic we,
    input logic [PLACE_W-1:0] addr,
    input logic [63:0] wdata,
    output logic done,
    output logic bad,
    output logic [63:0] rdata,
    kumi_axi_if.mst m_axi
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int ADDR_W = m_axi.ADDR_W;
  localparam int BYTES = DATA_W / 8;
  localparam int WORDS = DATA_W / 64;
  localparam int LANE_W = $clog2(BYTES);
  localparam int WORD_W = WORDS == 1 ? 1 : $clog2(WORDS);

  if (DATA_W < 64) begin : gen_check
    $fatal(0, "DATA_W must be 64 or more (%m)");
  end

  logic a_sent_q, w_sent_q;
  logic [WORD_W-1:0] lane;
  logic [ADDR_W-1:0] place;

  if (WORDS == 1) begin : gen_one
    assign lane = '0;
  end else begin : gen_lane
    assign lane = addr[LANE_W-1:3];
  end
  assign place = ADDR_W'(addr) & ~ADDR_W'(BYTES - 1);

  assign m_axi.awid = '0;
  assign m_axi.awaddr = place;
  assign m_axi.awlen = '0;
  assign m_axi.awsize = 3'(LANE_W);
  assign m_axi.awburst = 2'b01;
  assign m_axi.awvalid = req && we && !a_sent_q;
  assign m_axi.wdata = {WORDS{wdata}};
  assign m_axi.wstrb = BYTES'(8'hff) << {lane, 3'b000};
  assign m_axi.wlast = 1'b1;
  assign m_axi.wvalid = req && we && !w_sent_q;
  assign m_axi.bready = 1'b1;
  assign m_axi.arid = '0;
  assign m_axi.araddr = place;
  assign m_axi.arlen = '0;
  assign m_axi.arsize = 3'(LANE_W);
  assign m_axi.arburst = 2'b01;
  assign m_axi.arvalid = req && !we && !a_sent_q;
  assign m_axi.rready = 1'b1;

  always_ff @(posedge clk) begin
    if ((m_axi.awvalid && m_axi.awready) || (m_axi.arvalid && m_axi.arready)) a_sent_q <= 1'b1;
    if (m_axi.wvalid && m_axi.wready) w_sent_q <= 1'b1;
    if (m_axi.rvalid) rdata <= m_axi.rdata[64*lane+:64];
    done <= m_axi.rvalid || m_axi.bvalid;
    bad  <= m_axi.rvalid ? m_axi.rresp[1] : m_axi.bresp[1];
    if (rst || done) begin
      a_sent_q <= 1'b0;
      w_sent_q <= 1'b0;
      done <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{addr, m_axi.bid, m_axi.bresp[0], m_axi.rid, m_axi.rresp[0], m_axi.rlast};
endmodule
