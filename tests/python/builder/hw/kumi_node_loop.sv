// SPDX-License-Identifier: Apache-2.0
//
// A node for tests of the build: every kind of port, and ways to misbehave on request.
module kumi_node_loop #(
    parameter int DATA_W = 64,     // bits of the eth port
    parameter int HDR_W  = 70,     // bits of the header stream
    parameter     NAME   = "loop"  // a string parameter
) (
    input logic clk,
    input logic rst,
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_side:m_axis_side, ASSOCIATED_RESET side_rst" *)
    input logic side_clk,
    input logic side_rst,

    input  logic [  DATA_W-1:0] s_axis_eth0_tdata,
    input  logic [DATA_W/8-1:0] s_axis_eth0_tkeep,
    input  logic                s_axis_eth0_tvalid,
    output logic                s_axis_eth0_tready,
    input  logic                s_axis_eth0_tlast,
    input  logic                s_axis_eth0_tuser,
    output logic [  DATA_W-1:0] m_axis_eth0_tdata,
    output logic [DATA_W/8-1:0] m_axis_eth0_tkeep,
    output logic                m_axis_eth0_tvalid,
    input  logic                m_axis_eth0_tready,
    output logic                m_axis_eth0_tlast,
    output logic                m_axis_eth0_tuser,

    input  logic [7:0] s_axis_side_tdata,
    input  logic       s_axis_side_tvalid,
    output logic       s_axis_side_tready,
    input  logic       s_axis_side_tlast,
    input  logic [9:0] s_axis_side_tuser,
    input  logic [3:0] s_axis_side_tid,
    input  logic [4:0] s_axis_side_tdest,
    output logic [7:0] m_axis_side_tdata,
    output logic       m_axis_side_tvalid,
    input  logic       m_axis_side_tready,
    output logic       m_axis_side_tlast,
    output logic [9:0] m_axis_side_tuser,
    output logic [3:0] m_axis_side_tid,
    output logic [4:0] m_axis_side_tdest,

    input  logic [HDR_W-1:0] s_hdr_rec_data,
    input  logic             s_hdr_rec_valid,
    output logic             s_hdr_rec_ready,
    output logic [HDR_W-1:0] m_hdr_rec_data,
    output logic             m_hdr_rec_valid,
    input  logic             m_hdr_rec_ready,

    input  logic [31:0] s_axil_awaddr,
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    output logic [ 1:0] s_axil_bresp,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    input  logic [31:0] s_axil_araddr,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,

    input  logic [  1:0] break_rule,   // 1 withdraw valid, 2 change data, 3 hole in keep
    input  logic [  2:0] say,          // 1 $display, 2 $error, 3 $finish, 4 $warning, 5 $fatal
    input  logic [ 99:0] wide_in,
    output logic [ 99:0] wide_out,
    output logic [ 31:0] unset,        // a register without reset
    output logic [ 15:0] side_cycles,
    output logic [ 31:0] core_cycles,
    output logic [127:0] label
);

  // eth: one register stage
  assign s_axis_eth0_tready = !m_axis_eth0_tvalid || m_axis_eth0_tready;
  always_ff @(posedge clk) begin
    if (s_axis_eth0_tready) begin
      m_axis_eth0_tvalid <= s_axis_eth0_tvalid;
      m_axis_eth0_tdata  <= s_axis_eth0_tdata;
      m_axis_eth0_tkeep  <= s_axis_eth0_tkeep;
      m_axis_eth0_tlast  <= s_axis_eth0_tlast;
      m_axis_eth0_tuser  <= s_axis_eth0_tuser;
      if (break_rule == 2'd3) m_axis_eth0_tkeep[0] <= 1'b0;
    end else begin
      if (break_rule == 2'd1) m_axis_eth0_tvalid <= 1'b0;
      if (break_rule == 2'd2) m_axis_eth0_tdata[0] <= !m_axis_eth0_tdata[0];
    end
    if (rst) m_axis_eth0_tvalid <= 1'b0;
  end

  // side and header: wires
  assign m_axis_side_tdata  = s_axis_side_tdata;
  assign m_axis_side_tvalid = s_axis_side_tvalid;
  assign m_axis_side_tlast  = s_axis_side_tlast;
  assign m_axis_side_tuser  = s_axis_side_tuser;
  assign m_axis_side_tid    = s_axis_side_tid;
  assign m_axis_side_tdest  = s_axis_side_tdest;
  assign s_axis_side_tready = m_axis_side_tready;
  assign m_hdr_rec_data     = s_hdr_rec_data;
  assign m_hdr_rec_valid    = s_hdr_rec_valid;
  assign s_hdr_rec_ready    = m_hdr_rec_ready;

  // registers: 16 words; 0x100 answers SLVERR; 0x200 never answers; 0x300 answers only much later
  logic [31:0] words_q[16];
  logic [16:0] late_q;
  logic aw_q, w_q;
  logic [31:0] aw_addr_q, w_data_q;
  logic [3:0] w_strb_q;
  assign s_axil_awready = !aw_q;
  assign s_axil_wready  = !w_q;
  assign s_axil_arready = !s_axil_rvalid && late_q == 0;
  always_ff @(posedge clk) begin
    if (s_axil_awvalid && s_axil_awready) begin
      aw_q      <= 1'b1;
      aw_addr_q <= s_axil_awaddr;
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_q      <= 1'b1;
      w_data_q <= s_axil_wdata;
      w_strb_q <= s_axil_wstrb;
    end
    if (aw_q && w_q && !s_axil_bvalid && aw_addr_q != 32'h200) begin
      for (int i = 0; i < 4; i++) begin
        if (w_strb_q[i]) words_q[aw_addr_q[5:2]][8*i+:8] <= w_data_q[8*i+:8];
      end
      s_axil_bvalid <= 1'b1;
      s_axil_bresp  <= aw_addr_q == 32'h100 ? 2'd2 : 2'd0;
    end
    if (s_axil_bvalid && s_axil_bready) begin
      s_axil_bvalid <= 1'b0;
      aw_q          <= 1'b0;
      w_q           <= 1'b0;
    end
    if (late_q != 0) late_q <= late_q - 1;
    if (late_q == 1) s_axil_rvalid <= 1'b1;
    if (s_axil_arvalid && s_axil_arready) begin
      s_axil_rdata <= words_q[s_axil_araddr[5:2]];
      s_axil_rresp <= s_axil_araddr == 32'h100 ? 2'd2 : 2'd0;
      if (s_axil_araddr == 32'h300) late_q <= 17'd70000;
      else s_axil_rvalid <= 1'b1;
    end else if (s_axil_rvalid && s_axil_rready) begin
      s_axil_rvalid <= 1'b0;
    end
    if (rst) begin
      {aw_q, w_q, s_axil_bvalid, s_axil_rvalid} <= '0;
      late_q <= '0;
    end
  end

  assign wide_out = ~wide_in;
  assign label    = 128'(NAME);
  logic [31:0] unset_q;
  assign unset = unset_q;
  always_ff @(posedge clk) begin
    if (say == 3'd7) unset_q <= unset_q + 1;
    core_cycles <= rst ? '0 : core_cycles + 1;
    if (say == 3'd1) $display("value %0d", wide_in[15:0]);
    if (say == 3'd2) $error("it went wrong");
    if (say == 3'd3) $finish;
    if (say == 3'd4) $warning("take care");
    if (say == 3'd5) $fatal(1, "the end");
  end
  always_ff @(posedge side_clk) side_cycles <= side_rst ? '0 : side_cycles + 1;
endmodule
