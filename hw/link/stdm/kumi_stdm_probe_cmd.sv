// SPDX-License-Identifier: Apache-2.0
//
// Register access from a stream, so that boards that are stepped together (kumi_stdm_probe) can be
// configured while they run.
//
// s_cmd: {write, zeros, address[11:0], data[31:0]}, 48 bits, executed in order, one at a time.
// m_rsp: the word of each read. Errors return all ones.
module kumi_stdm_probe_cmd (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_axil_if.mst m_axil
);
  logic busy_q, write_q;

  assign s_cmd.ready   = !busy_q && !m_rsp.valid;
  assign m_axil.awprot = '0;
  assign m_axil.arprot = '0;
  assign m_axil.wstrb  = '1;
  assign m_axil.bready = 1'b1;
  assign m_axil.rready = 1'b1;

  always_ff @(posedge clk) begin
    if (m_rsp.ready) m_rsp.valid <= 1'b0;
    if (m_axil.awready) m_axil.awvalid <= 1'b0;
    if (m_axil.wready) m_axil.wvalid <= 1'b0;
    if (m_axil.arready) m_axil.arvalid <= 1'b0;
    if (s_cmd.valid && s_cmd.ready) begin
      busy_q         <= 1'b1;
      write_q        <= s_cmd.data[47];
      m_axil.awvalid <= s_cmd.data[47];
      m_axil.wvalid  <= s_cmd.data[47];
      m_axil.arvalid <= !s_cmd.data[47];
      m_axil.awaddr  <= 32'(s_cmd.data[43:32]);
      m_axil.araddr  <= 32'(s_cmd.data[43:32]);
      m_axil.wdata   <= s_cmd.data[31:0];
    end else if (busy_q && write_q && m_axil.bvalid) begin
      busy_q <= 1'b0;
    end else if (busy_q && !write_q && m_axil.rvalid) begin
      busy_q      <= 1'b0;
      m_rsp.valid <= 1'b1;
      m_rsp.data  <= m_axil.rresp == 2'b00 ? m_axil.rdata : '1;
    end
    if (rst) begin
      busy_q         <= 1'b0;
      m_rsp.valid    <= 1'b0;
      m_axil.awvalid <= 1'b0;
      m_axil.wvalid  <= 1'b0;
      m_axil.arvalid <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^s_cmd.data[46:44];
endmodule
