// SPDX-License-Identifier: Apache-2.0
//
// A node for tests of memories in a cluster: while `go` is high it reads 64 bytes at a place that a
// shift register chooses, adds a count to each word, writes them to the next place, and waits for
// the answer. An answer that is no OKAY is counted.
module kumi_node_axi_walk (
    input logic clk,
    input logic rst,

    output logic [31:0] m_axi_host_awaddr,
    output logic [ 7:0] m_axi_host_awlen,
    output logic [ 2:0] m_axi_host_awsize,
    output logic [ 1:0] m_axi_host_awburst,
    output logic        m_axi_host_awvalid,
    input  logic        m_axi_host_awready,
    output logic [63:0] m_axi_host_wdata,
    output logic [ 7:0] m_axi_host_wstrb,
    output logic        m_axi_host_wlast,
    output logic        m_axi_host_wvalid,
    input  logic        m_axi_host_wready,
    input  logic [ 1:0] m_axi_host_bresp,
    input  logic        m_axi_host_bvalid,
    output logic        m_axi_host_bready,
    output logic [31:0] m_axi_host_araddr,
    output logic [ 7:0] m_axi_host_arlen,
    output logic [ 2:0] m_axi_host_arsize,
    output logic [ 1:0] m_axi_host_arburst,
    output logic        m_axi_host_arvalid,
    input  logic        m_axi_host_arready,
    input  logic [63:0] m_axi_host_rdata,
    input  logic [ 1:0] m_axi_host_rresp,
    input  logic        m_axi_host_rlast,
    input  logic        m_axi_host_rvalid,
    output logic        m_axi_host_rready,

    input  logic        go,
    output logic        busy,
    output logic [31:0] rounds,
    output logic [31:0] errors
);

  typedef enum logic [2:0] {
    IDLE,
    ASK,
    READ,
    ADDRESS,
    WRITE,
    ANSWER
  } state_e;
  state_e state_q;
  logic [2:0] beat_q;
  logic [15:0] place_q;
  logic [63:0] words_q[8];

  // Galois, x^16 + x^14 + x^13 + x^11 + 1
  function automatic logic [15:0] step(input logic [15:0] x);
    return x[0] ? (x >> 1) ^ 16'hb400 : x >> 1;
  endfunction

  assign m_axi_host_araddr = {16'd0, place_q & 16'hffc0};
  assign m_axi_host_awaddr = {16'd0, step(place_q) & 16'hffc0};
  assign {m_axi_host_arlen, m_axi_host_awlen} = {8'd7, 8'd7};
  assign {m_axi_host_arsize, m_axi_host_awsize} = {3'd3, 3'd3};
  assign {m_axi_host_arburst, m_axi_host_awburst} = {2'd1, 2'd1};
  assign m_axi_host_arvalid = state_q == ASK;
  assign m_axi_host_rready = state_q == READ;
  assign m_axi_host_awvalid = state_q == ADDRESS;
  assign m_axi_host_wvalid = state_q == WRITE;
  assign m_axi_host_wdata = words_q[beat_q] + {32'd0, rounds} + 64'd1;
  assign m_axi_host_wstrb = 8'hff;
  assign m_axi_host_wlast = beat_q == 3'd7;
  assign m_axi_host_bready = state_q == ANSWER;
  assign busy = state_q != IDLE || go;

  always_ff @(posedge clk) begin
    case (state_q)
      ASK:     if (m_axi_host_arready) state_q <= READ;
      READ:
      if (m_axi_host_rvalid) begin
        words_q[beat_q] <= m_axi_host_rdata;
        beat_q          <= beat_q + 1'b1;
        if (m_axi_host_rresp != 0) errors <= errors + 1;
        if (m_axi_host_rlast) state_q <= ADDRESS;
      end
      ADDRESS: if (m_axi_host_awready) state_q <= WRITE;
      WRITE:
      if (m_axi_host_wready) begin
        beat_q <= beat_q + 1'b1;
        if (m_axi_host_wlast) state_q <= ANSWER;
      end
      ANSWER:
      if (m_axi_host_bvalid) begin
        if (m_axi_host_bresp != 0) errors <= errors + 1;
        rounds  <= rounds + 1;
        place_q <= step(place_q);
        state_q <= IDLE;
      end
      default: if (go) state_q <= ASK;
    endcase
    if (rst) begin
      state_q <= IDLE;
      beat_q  <= '0;
      place_q <= 16'hace1;
      rounds  <= '0;
      errors  <= '0;
    end
  end
endmodule
