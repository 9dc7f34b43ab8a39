// SPDX-License-Identifier: Apache-2.0
//
// Proof top of the register blocks with `kumi_fast`, by the example of kumi_sata_regs: a free
// master, and an external region that answers at any time.
//
// Assumed: the master keeps the AXI rules; the region responds once to each request.
// Proved: one response of the right kind per access, stable until it is accepted, in bounded time;
// errors exactly for addresses without a register; no request is stalled or lost; a register reads
// as it was last written.
`include "kumi_assert.svh"
module axil_single_formal (
    input logic        clk,
    input logic        rst,
    input logic        awvalid,
    input logic        wvalid,
    input logic        arvalid,
    input logic [11:0] awaddr,
    input logic [11:0] araddr,
    input logic [31:0] wdata,
    input logic [ 3:0] wstrb,
    input logic        bready,
    input logic        rready,
    input logic        rd_ack,
    input logic        wr_ack
);
  kumi_axil_if s ();
  kumi_sata_regs_pkg::kumi_sata_regs__in_t  hwif_in;
  kumi_sata_regs_pkg::kumi_sata_regs__out_t hwif_out;

  kumi_sata_regs u_dut (
      .clk,
      .rst,
      .s_axil(s),
      .hwif_in,
      .hwif_out
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  assign s.awaddr  = {20'h0, awaddr};
  assign s.araddr  = {20'h0, araddr};
  assign s.awprot  = '0;
  assign s.arprot  = '0;
  assign s.wdata   = wdata;
  assign s.wstrb   = wstrb;
  assign s.awvalid = awvalid;
  assign s.wvalid  = wvalid;
  assign s.arvalid = arvalid;
  assign s.bready  = bready;
  assign s.rready  = rready;

  // The master holds what it offers.
  logic aw_wait_q, w_wait_q, ar_wait_q;
  logic [11:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic [ 3:0] wstrb_q;
  always_ff @(posedge clk) begin
    aw_wait_q <= !rst && s.awvalid && !s.awready;
    w_wait_q  <= !rst && s.wvalid && !s.wready;
    ar_wait_q <= !rst && s.arvalid && !s.arready;
    awaddr_q  <= awaddr;
    araddr_q  <= araddr;
    wdata_q   <= wdata;
    wstrb_q   <= wstrb;
  end
  `KUMI_ASSUME(m_aw, !aw_wait_q || (awvalid && awaddr == awaddr_q))
  `KUMI_ASSUME(m_w, !w_wait_q || (wvalid && wdata == wdata_q && wstrb == wstrb_q))
  `KUMI_ASSUME(m_ar, !ar_wait_q || (arvalid && araddr == araddr_q))

  // The external region.
  logic owed_q, owed_write_q;
  always_comb begin
    hwif_in = '{default: '0};
    hwif_in.counters.rd_ack = rd_ack;
    hwif_in.counters.wr_ack = wr_ack;
    hwif_in.counters.rd_data = 32'h600d_da7a;
  end
  always_ff @(posedge clk) begin
    if (rd_ack || wr_ack) owed_q <= 1'b0;
    if (hwif_out.counters.req) begin
      owed_q       <= 1'b1;
      owed_write_q <= hwif_out.counters.req_is_wr;
    end
    if (rst) owed_q <= 1'b0;
  end
  `KUMI_ASSUME(m_rd_ack, !rd_ack || (owed_q && !owed_write_q))
  `KUMI_ASSUME(m_wr_ack, !wr_ack || (owed_q && owed_write_q))
  `KUMI_ASSERT(a_one_external, !hwif_out.counters.req || !owed_q)

  // The access under way.
  logic op_q, op_write_q, op_limit_q, op_external_q, op_mapped_q;
  logic [1:0] op_age_q;  // cycles in which the block alone was awaited
  logic take, done;
  logic [11:0] addr;
  assign take = (s.awvalid && s.awready) || (s.arvalid && s.arready);
  assign done = (s.bvalid && s.bready) || (s.rvalid && s.rready);
  assign addr = s.awready ? awaddr : araddr;
  always_ff @(posedge clk) begin
    if (done) op_q <= 1'b0;
    if (!(s.bvalid || s.rvalid) && !owed_q) op_age_q <= op_age_q + 1'b1;
    if (take) begin
      op_q          <= 1'b1;
      op_write_q    <= s.awready;
      op_limit_q    <= addr[11:2] == 10'd1;
      op_external_q <= addr[11:7] == 5'd2;
      op_mapped_q   <= addr[11:2] <= 10'd8 || addr[11:7] == 5'd2;
      op_age_q      <= '0;
    end
    if (rst) op_q <= 1'b0;
  end

  `KUMI_ASSERT(a_pair, s.awready == s.wready)
  `KUMI_ASSERT(a_valid_first, !s.awready || (s.awvalid && s.wvalid))
  `KUMI_ASSERT(a_one_kind, !(s.awready && s.arready))
  `KUMI_ASSERT(a_single, !take || !op_q)
  `KUMI_ASSERT(a_bvalid, !s.bvalid || (op_q && op_write_q))
  `KUMI_ASSERT(a_rvalid, !s.rvalid || (op_q && !op_write_q))
  `KUMI_ASSERT(a_bounded, !op_q || op_age_q != 2'd3)
  `KUMI_ASSERT(a_error, !(s.bvalid || s.rvalid) || s.bresp == {!op_mapped_q, 1'b0})
  `KUMI_ASSERT(a_same_error, s.bresp == s.rresp)
  `KUMI_ASSERT(a_external, !(s.rvalid && op_external_q) || s.rdata == 32'h600d_da7a)

  // A response is held.
  logic b_held_q, r_held_q;
  logic [ 1:0] resp_q;
  logic [31:0] rdata_q;
  always_ff @(posedge clk) begin
    b_held_q <= !rst && s.bvalid && !s.bready;
    r_held_q <= !rst && s.rvalid && !s.rready;
    resp_q   <= s.rresp;
    rdata_q  <= s.rdata;
  end
  `KUMI_ASSERT(a_b_held, !b_held_q || (s.bvalid && s.bresp == resp_q))
  `KUMI_ASSERT(a_r_held, !r_held_q || (s.rvalid && s.rresp == resp_q && s.rdata == rdata_q))

  // A register of 16 bits as written, by bytes.
  logic [15:0] limit_q;
  always_ff @(posedge clk) begin
    if (take && s.awready && addr[11:2] == 10'd1) begin
      if (wstrb[0]) limit_q[7:0] <= wdata[7:0];
      if (wstrb[1]) limit_q[15:8] <= wdata[15:8];
    end
    if (rst) limit_q <= 16'd30000;
  end
  `KUMI_ASSERT(a_limit, !(s.rvalid && op_limit_q) || s.rdata == {16'd0, limit_q})

  // Invariants.
  logic [15:0] stored;
  assign stored = hwif_out.limit.ticks.value;
  `KUMI_ASSERT(i_idle, op_q == !u_dut.axil_idle)
  `KUMI_ASSERT(i_kind, !op_q || op_write_q == u_dut.axil_is_wr)
  `KUMI_ASSERT(i_req, !u_dut.axil_req || (op_q && !s.bvalid && !s.rvalid && op_age_q == '0))
  `KUMI_ASSERT(i_no_stall,
               !u_dut.axil_req || !(u_dut.cpuif_req_stall_rd || u_dut.cpuif_req_stall_wr))
  `KUMI_ASSERT(i_limit, !op_q || op_limit_q == (u_dut.axil_addr == 10'd1))
  `KUMI_ASSERT(i_external, !op_q || op_external_q == (u_dut.axil_addr[11:7] == 5'd2))
  `KUMI_ASSERT(i_mapped,
               !op_q || op_mapped_q == (u_dut.axil_addr <= 10'd8 || u_dut.axil_addr[11:7] == 5'd2))
  `KUMI_ASSERT(i_stored, (u_dut.axil_req && op_write_q && op_limit_q) || stored == limit_q)
  `KUMI_ASSERT(
      i_writing,
      !(u_dut.axil_req && op_write_q && op_limit_q) || (limit_q[7:0] == (u_dut.axil_wstrb[0] ? u_dut.axil_data[7:0] : stored[7:0]) && limit_q[15:8] == (u_dut.axil_wstrb[1] ? u_dut.axil_data[15:8] : stored[15:8])))
  `KUMI_ASSERT(
      i_owed,
      !owed_q || (op_q && op_external_q && owed_write_q == op_write_q && u_dut.external_pending && !u_dut.axil_req && !s.bvalid && !s.rvalid))
  `KUMI_ASSERT(i_pending,
               !u_dut.external_pending || owed_q || (u_dut.external_rd_ack && u_dut.cpuif_rd_ack))
  `KUMI_ASSERT(
      i_ack,
      !u_dut.cpuif_rd_ack || (op_q && !op_write_q && !u_dut.axil_req && !owed_q && !s.bvalid && !s.rvalid))
  `KUMI_ASSERT(i_read,
               !(u_dut.cpuif_rd_ack && op_limit_q) || u_dut.cpuif_rd_data == {16'd0, limit_q})
  `KUMI_ASSERT(i_read_external,
               !(u_dut.cpuif_rd_ack && op_external_q) || u_dut.cpuif_rd_data == 32'h600d_da7a)
  `KUMI_ASSERT(i_read_error, !u_dut.cpuif_rd_ack || u_dut.cpuif_rd_err == !op_mapped_q)
  `KUMI_ASSERT(i_next,
               !op_q || u_dut.axil_req || owed_q || u_dut.cpuif_rd_ack || s.bvalid || s.rvalid)
  `KUMI_ASSERT(i_age, !u_dut.cpuif_rd_ack || op_age_q <= 2'd2)
  `KUMI_ASSERT(i_owed_age, !owed_q || op_age_q <= 2'd1)

  `KUMI_COVER(c_write, s.bvalid && s.bresp == 2'b00)
  `KUMI_COVER(c_read, s.rvalid && op_limit_q && s.rdata == 32'd1234)
  `KUMI_COVER(c_external, s.rvalid && op_external_q)
  `KUMI_COVER(c_error, s.rvalid && s.rresp != 2'b00)
endmodule
