// SPDX-License-Identifier: Apache-2.0
//
// Multiplexes the read channels of N clients to one AXI4 master (ARM IHI 0022), round-robin.
//
// ar_*[i]: requests. A client may withdraw one that was not accepted. r_valid[i] with r_data,
//   r_resp: its beats in order; a client always accepts them, so the master is always ready.
// The transaction id is the client's number; beats of different clients may come in any order.
// AHEAD: see kumi_dma_turn; a request must not be withdrawn then.
// Latency 1 cycle each way (AHEAD: 2 for requests), a request and a beat a cycle.
// Bad input: a beat with an id that no client has is dropped.
module kumi_dma_read_mux #(
    parameter int N      = 3,   // clients
    parameter int DATA_W = 64,  // bits of data
    parameter int ADDR_W = 64,  // bits of an address
    parameter int ID_W   = 4,   // bits of an id
    parameter bit AHEAD  = 0    // choose a cycle before
) (
    input  logic                          clk,
    input  logic                          rst,
    input  logic [     N-1:0]             ar_valid,
    output logic [     N-1:0]             ar_ready,
    input  logic [     N-1:0][ADDR_W-1:0] ar_addr,
    input  logic [     N-1:0][       7:0] ar_len,
    output logic [     N-1:0]             r_valid,
    output logic [DATA_W-1:0]             r_data,
    output logic [       1:0]             r_resp,
    output logic [  ID_W-1:0]             m_axi_arid,
    output logic [ADDR_W-1:0]             m_axi_araddr,
    output logic [       7:0]             m_axi_arlen,
    output logic [       2:0]             m_axi_arsize,
    output logic [       1:0]             m_axi_arburst,
    output logic                          m_axi_arvalid,
    input  logic                          m_axi_arready,
    input  logic [  ID_W-1:0]             m_axi_rid,
    input  logic [DATA_W-1:0]             m_axi_rdata,
    input  logic [       1:0]             m_axi_rresp,
    input  logic                          m_axi_rlast,
    input  logic                          m_axi_rvalid,
    output logic                          m_axi_rready
);
  if (2 ** ID_W < N) begin : gen_check_id
    $fatal(0, "ID_W has no room for the clients (%m)");
  end

  logic [N-1:0] turn;
  logic [ID_W-1:0] id;
  logic [ADDR_W-1:0] addr;
  logic [7:0] len;
  logic free, some;

  kumi_dma_turn #(
      .N(N),
      .AHEAD(AHEAD)
  ) u_turn (
      .clk,
      .rst,
      .req(ar_valid),
      .free,
      .turn,
      .some
  );

  always_comb begin
    id   = '0;
    addr = '0;
    len  = '0;
    for (int i = 0; i < N; ++i) begin
      if (turn[i]) begin
        id |= ID_W'(i);
        addr |= ar_addr[i];
        len |= ar_len[i];
      end
    end
  end

  assign ar_ready = free ? turn : '0;

  kumi_slice #(
      .W(ID_W + ADDR_W + 8),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({id, addr, len}),
      .s_valid(some),
      .s_ready(free),
      .m_data ({m_axi_arid, m_axi_araddr, m_axi_arlen}),
      .m_valid(m_axi_arvalid),
      .m_ready(m_axi_arready)
  );

  assign m_axi_arsize  = 3'($clog2(DATA_W / 8));
  assign m_axi_arburst = 2'b01;
  assign m_axi_rready  = 1'b1;

  always_ff @(posedge clk) begin
    for (int i = 0; i < N; ++i) r_valid[i] <= m_axi_rvalid && m_axi_rid == ID_W'(i);
    r_data <= m_axi_rdata;
    r_resp <= m_axi_rresp;
    if (rst) r_valid <= '0;
  end

  logic unused;
  assign unused = m_axi_rlast;
endmodule
