// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite demultiplexer (ARM IHI 0022): one master to N register blocks with a window of 4 KiB
// each; block k starts at address 4096 k.
//
// Handshake: s_axil accepts a write when address and data are both valid, and one operation at a
//   time; pending reads and writes alternate. bvalid/rvalid hold until accepted.
// Latency: 2 cycles more than the block's own; one operation in flight.
// Bad input: an address above the last window: DECERR. A block that does not respond within TIMEOUT
//   cycles: SLVERR, and its late response is discarded; until then the block responds SLVERR at
//   once while the other blocks continue. A block that does not accept the request: SLVERR for
//   every access until it does, because the request must not be withdrawn.
module kumi_axil_demux #(
    parameter int N       = 2,    // register blocks, 1..64
    parameter int TIMEOUT = 1024  // cycles that a block has to answer, at least 2
) (
    input logic            clk,
    input logic            rst,
          kumi_axil_if.slv s_axil,
          kumi_axil_if.mst m_axil[N]
);
  localparam int SEL_W = (N > 1) ? $clog2(N) : 1;
  localparam int TIME_W = $clog2(TIMEOUT + 1);
  localparam logic [1:0] SLVERR = 2'b10;
  localparam logic [1:0] DECERR = 2'b11;

  if (N < 1 || N > 64) begin : gen_check_n
    $fatal(0, "N must be 1..64 (%m)");
  end
  if (TIMEOUT < 2) begin : gen_check_timeout
    $fatal(0, "TIMEOUT must be at least 2 (%m)");
  end

  typedef enum logic [1:0] {
    IDLE,
    ISSUE,
    WAIT,
    RESPOND
  } state_e;

  state_e state_q;
  logic write_q;  // the current operation is a write
  logic turn_q;  // last one taken was a write
  logic [11:0] addr_q;
  logic [31:0] data_q;  // write data, later read data
  logic [3:0] strb_q;
  logic [1:0] resp_q;
  logic [SEL_W-1:0] sel_q;
  logic [TIME_W-1:0] timer_q;
  logic aw_q, w_q, ar_q;  // valid toward the block sel_q
  logic [N-1:0] owing_q;  // blocks that still have to answer an operation that timed out

  // ---- the blocks' side --------------------------------------------------------------------
  logic [N-1:0] awready, wready, arready, bvalid, rvalid;
  logic [ 1:0] bresp[N];
  logic [ 1:0] rresp[N];
  logic [31:0] rdata[N];

  for (genvar k = 0; k < N; ++k) begin : gen_block
    logic sel;
    assign sel = sel_q == SEL_W'(k);
    assign m_axil[k].awaddr = {20'h0, addr_q};
    assign m_axil[k].araddr = {20'h0, addr_q};
    assign m_axil[k].awprot = 3'b000;
    assign m_axil[k].arprot = 3'b000;
    assign m_axil[k].wdata = data_q;
    assign m_axil[k].wstrb = strb_q;
    assign m_axil[k].awvalid = aw_q && sel;
    assign m_axil[k].wvalid = w_q && sel;
    assign m_axil[k].arvalid = ar_q && sel;
    // There is never more than one answer outstanding, so it can always be taken.
    assign m_axil[k].bready = 1'b1;
    assign m_axil[k].rready = 1'b1;
    assign awready[k] = m_axil[k].awready;
    assign wready[k] = m_axil[k].wready;
    assign arready[k] = m_axil[k].arready;
    assign bvalid[k] = m_axil[k].bvalid;
    assign rvalid[k] = m_axil[k].rvalid;
    assign bresp[k] = m_axil[k].bresp;
    assign rresp[k] = m_axil[k].rresp;
    assign rdata[k] = m_axil[k].rdata;
  end

  // ---- the master's side -------------------------------------------------------------------
  logic take_w, take_r, jam, mapped, answered;
  logic [31:0] addr;

  assign take_w = state_q == IDLE && s_axil.awvalid && s_axil.wvalid && !(s_axil.arvalid && turn_q);
  assign take_r = state_q == IDLE && s_axil.arvalid && !take_w;
  assign addr = take_w ? s_axil.awaddr : s_axil.araddr;
  assign mapped = addr < 32'(N * 4096);
  assign jam = aw_q || w_q || ar_q;
  assign answered = write_q ? bvalid[sel_q] : rvalid[sel_q];

  assign s_axil.awready = take_w;
  assign s_axil.wready = take_w;
  assign s_axil.arready = take_r;
  assign s_axil.bvalid = state_q == RESPOND && write_q;
  assign s_axil.rvalid = state_q == RESPOND && !write_q;
  assign s_axil.bresp = resp_q;
  assign s_axil.rresp = resp_q;
  assign s_axil.rdata = data_q;

  always_ff @(posedge clk) begin
    owing_q <= owing_q & ~(bvalid | rvalid);
    if (awready[sel_q]) aw_q <= 1'b0;
    if (wready[sel_q]) w_q <= 1'b0;
    if (arready[sel_q]) ar_q <= 1'b0;

    case (state_q)
      IDLE:
      if (take_w || take_r) begin
        write_q <= take_w;
        turn_q  <= take_w;
        resp_q  <= mapped ? SLVERR : DECERR;
        if (!mapped || jam) begin
          state_q <= RESPOND;
          if (!jam) data_q <= '0;
        end else begin
          state_q <= ISSUE;
          sel_q   <= addr[12+:SEL_W];
          addr_q  <= addr[11:0];
          data_q  <= s_axil.wdata;
          strb_q  <= s_axil.wstrb;
        end
      end
      ISSUE: begin
        timer_q <= TIME_W'(TIMEOUT);
        if (owing_q[sel_q]) begin
          state_q <= RESPOND;
        end else begin
          state_q <= WAIT;
          aw_q <= write_q;
          w_q <= write_q;
          ar_q <= !write_q;
        end
      end
      WAIT: begin
        timer_q <= timer_q - 1'b1;
        if (answered) begin
          state_q <= RESPOND;
          resp_q  <= write_q ? bresp[sel_q] : rresp[sel_q];
          if (!write_q) data_q <= rdata[sel_q];
        end else if (timer_q == '0) begin
          state_q <= RESPOND;
          owing_q[sel_q] <= 1'b1;
        end
      end
      RESPOND: if (write_q ? s_axil.bready : s_axil.rready) state_q <= IDLE;
      default: state_q <= IDLE;
    endcase

    if (rst) begin
      state_q <= IDLE;
      turn_q  <= 1'b0;
      aw_q    <= 1'b0;
      w_q     <= 1'b0;
      ar_q    <= 1'b0;
      owing_q <= '0;
    end
  end

endmodule
