// SPDX-License-Identifier: Apache-2.0
//
// Multiplexes the write channels of N clients to one AXI4 master (ARM IHI 0022), round-robin.
//
// aw_*[i]: requests; a client may withdraw one that was not accepted. w_*[i]: its beats, burst
//   after burst in the order of its requests; accepted in the order of all requests. b_valid[i]
//   with b_resp: its responses; a client always accepts them, so the master is always ready.
// The transaction id is the client's number. AHEAD: see kumi_dma_turn; a request must not be
//   withdrawn then.
// Latency 1 cycle for requests (AHEAD: 2) and responses, 2 to 4 for data; a beat a cycle. A client
//   that makes a request and then stalls its data stalls the others: clients here have their data
//   first.
// Bad input: a response with an id that no client has is dropped.
module kumi_dma_write_mux #(
    parameter int N      = 2,   // clients
    parameter int DATA_W = 64,  // bits of data
    parameter int ADDR_W = 64,  // bits of an address
    parameter int ID_W   = 4,   // bits of an id
    parameter bit AHEAD  = 0    // choose a cycle before
) (
    input  logic                              clk,
    input  logic                              rst,
    input  logic [       N-1:0]               aw_valid,
    output logic [       N-1:0]               aw_ready,
    input  logic [       N-1:0][  ADDR_W-1:0] aw_addr,
    input  logic [       N-1:0][         7:0] aw_len,
    input  logic [       N-1:0]               w_valid,
    output logic [       N-1:0]               w_ready,
    input  logic [       N-1:0][  DATA_W-1:0] w_data,
    input  logic [       N-1:0][DATA_W/8-1:0] w_strb,
    input  logic [       N-1:0]               w_last,
    output logic [       N-1:0]               b_valid,
    output logic [         1:0]               b_resp,
    output logic [    ID_W-1:0]               m_axi_awid,
    output logic [  ADDR_W-1:0]               m_axi_awaddr,
    output logic [         7:0]               m_axi_awlen,
    output logic [         2:0]               m_axi_awsize,
    output logic [         1:0]               m_axi_awburst,
    output logic                              m_axi_awvalid,
    input  logic                              m_axi_awready,
    output logic [  DATA_W-1:0]               m_axi_wdata,
    output logic [DATA_W/8-1:0]               m_axi_wstrb,
    output logic                              m_axi_wlast,
    output logic                              m_axi_wvalid,
    input  logic                              m_axi_wready,
    input  logic [    ID_W-1:0]               m_axi_bid,
    input  logic [         1:0]               m_axi_bresp,
    input  logic                              m_axi_bvalid,
    output logic                              m_axi_bready
);
  if (2 ** ID_W < N) begin : gen_check_id
    $fatal(0, "ID_W has no room for the clients (%m)");
  end

  // ---- requests, and the order of their data -------------------------------------------------
  logic [N-1:0] turn, owner;
  logic [ID_W-1:0] id;
  logic [ADDR_W-1:0] addr;
  logic [7:0] len;
  logic slice_free, order_free, free, owned, beat_valid, beat_ready, beat_last;
  logic some;
  logic [2:0] depth_order;

  assign free = slice_free && order_free;

  kumi_dma_turn #(
      .N(N),
      .AHEAD(AHEAD)
  ) u_turn (
      .clk,
      .rst,
      .req(aw_valid),
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
        addr |= aw_addr[i];
        len |= aw_len[i];
      end
    end
  end

  assign aw_ready = free ? turn : '0;

  kumi_slice #(
      .W(ID_W + ADDR_W + 8),
      .MODE(2)
  ) u_request (
      .clk,
      .rst,
      .s_data ({id, addr, len}),
      .s_valid(some && order_free),
      .s_ready(slice_free),
      .m_data ({m_axi_awid, m_axi_awaddr, m_axi_awlen}),
      .m_valid(m_axi_awvalid),
      .m_ready(m_axi_awready)
  );

  kumi_fifo #(
      .W(N),
      .DEPTH(4),
      .STYLE(0)
  ) u_order (
      .clk,
      .rst,
      .s_data (turn),
      .s_valid(some && slice_free),
      .s_ready(order_free),
      .m_data (owner),
      .m_valid(owned),
      .m_ready(beat_valid && beat_ready && beat_last),
      .depth  (depth_order)
  );

  // ---- data ----------------------------------------------------------------------------------
  logic [  DATA_W-1:0] data;
  logic [DATA_W/8-1:0] strb;
  always_comb begin
    data = '0;
    strb = '0;
    for (int i = 0; i < N; ++i) begin
      if (owner[i]) begin
        data |= w_data[i];
        strb |= w_strb[i];
      end
    end
  end
  assign beat_valid = owned && |(w_valid & owner);
  assign beat_last = |(w_last & owner);
  assign w_ready = owned && beat_ready ? owner : '0;

  kumi_slice #(
      .W(1 + DATA_W / 8 + DATA_W),
      .MODE(2)
  ) u_data (
      .clk,
      .rst,
      .s_data ({beat_last, strb, data}),
      .s_valid(beat_valid),
      .s_ready(beat_ready),
      .m_data ({m_axi_wlast, m_axi_wstrb, m_axi_wdata}),
      .m_valid(m_axi_wvalid),
      .m_ready(m_axi_wready)
  );

  // ---- answers -------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    for (int i = 0; i < N; ++i) b_valid[i] <= m_axi_bvalid && m_axi_bid == ID_W'(i);
    b_resp <= m_axi_bresp;
    if (rst) b_valid <= '0;
  end

  assign m_axi_awsize  = 3'($clog2(DATA_W / 8));
  assign m_axi_awburst = 2'b01;
  assign m_axi_bready  = 1'b1;

  logic unused;
  assign unused = ^depth_order;
endmodule
