// SPDX-License-Identifier: Apache-2.0
//
// On-chip memory behind an AXI4 port (ARM IHI 0022E).
//
// s_axi: INCR bursts of any length, beat size and start address; a write changes the bytes selected
//   by wstrb. One id at a time per direction: responses come in the order of the addresses.
// Order: data is in memory one cycle after its W handshake. A read whose AR handshake follows the W
//   handshake of a beat returns that beat; there is no need to wait for B. A concurrent read and
//   write of a byte: old or new, byte by byte.
// Latency: AR to the first R 2 cycles, W of the last beat to B 1, AW to the first W 1 (W is not
//   accepted before its AW). Throughput: a beat a cycle each way, also in bursts of one beat.
//   No combinational path joins inputs and outputs; R comes from a register behind the memory.
// Bad input: an address beyond BYTES is answered DECERR, a burst that is not INCR SLVERR; such
//   writes change nothing, such reads return arbitrary data. wlast is ignored. A burst across 4
//   KiB, which AXI forbids, wraps within its 4 KiB.
// Reset drops transactions in flight, not the contents. Contents are zero at power-up.
module kumi_axi_ram #(
    parameter int BYTES = 65536  // size, a multiple of 4096
) (
    input logic clk,
    input logic rst,
    kumi_axi_if.slv s_axi
);
  localparam int DATA_W = s_axi.DATA_W;
  localparam int ADDR_W = s_axi.ADDR_W;
  localparam int ID_W = s_axi.ID_W;
  localparam int STRB_W = DATA_W / 8;
  localparam int LANE_W = $clog2(STRB_W);
  localparam int WORDS = BYTES / STRB_W;
  localparam int WORD_W = $clog2(WORDS);
  localparam int PAGE_W = 12;  // a burst stays within 4 KiB
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

  if (BYTES < 4096 || BYTES % 4096 != 0) begin : gen_check_bytes
    $fatal(0, "BYTES must be a multiple of 4096 (%m)");
  end
  if (ADDR_W < $clog2(BYTES)) begin : gen_check_addr
    $fatal(0, "s_axi has too few bits of address for BYTES (%m)");
  end

  typedef struct packed {
    logic [ID_W-1:0]   id;
    logic [ADDR_W-1:0] addr;
    logic [7:0]        len;
    logic [2:0]        size;
    logic [1:0]        resp;
  } axi_burst_t;

  function automatic logic [1:0] resp_of(input logic [ADDR_W-1:0] addr, input logic [1:0] burst);
    return (ADDR_W + 1)'(addr) >= (ADDR_W + 1)'(BYTES) ? DECERR : burst != 2'b01 ? SLVERR : OKAY;
  endfunction

  // Place in the 4 KiB of the beat after the one at `at`.
  function automatic logic [PAGE_W-1:0] after(input logic [PAGE_W-1:0] at, input logic [2:0] size);
    return (at | ~({PAGE_W{1'b1}} << size)) + 1'b1;
  endfunction

  (* ram_style = "block" *) logic [DATA_W-1:0] mem[WORDS];
  initial mem = '{default: '0};

  // ---- writes --------------------------------------------------------------------------------
  axi_burst_t aw;
  logic aw_valid, aw_pop, w_first_q, w_take, w_last, b_room;
  logic [PAGE_W-1:0] w_at_q, w_at;
  logic [7:0] w_left_q, w_left;
  logic [WORD_W-1:0] w_word;

  kumi_slice #(
      .W($bits(axi_burst_t)),
      .MODE(2)
  ) u_aw (
      .clk,
      .rst,
      .s_data({
        s_axi.awid, s_axi.awaddr, s_axi.awlen, s_axi.awsize, resp_of(s_axi.awaddr, s_axi.awburst)
      }),
      .s_valid(s_axi.awvalid),
      .s_ready(s_axi.awready),
      .m_data(aw),
      .m_valid(aw_valid),
      .m_ready(aw_pop)
  );

  assign w_at = w_first_q ? aw.addr[PAGE_W-1:0] : w_at_q;
  assign w_left = w_first_q ? aw.len : w_left_q;
  assign w_last = w_left == '0;
  assign s_axi.wready = aw_valid && b_room;
  assign w_take = s_axi.wvalid && s_axi.wready;
  assign aw_pop = w_take && w_last;
  if (WORD_W > PAGE_W - LANE_W) begin : gen_w_word
    assign w_word = {aw.addr[WORD_W+LANE_W-1:PAGE_W], w_at[PAGE_W-1:LANE_W]};
  end else begin : gen_w_word_page
    assign w_word = w_at[PAGE_W-1:LANE_W];
  end

  always_ff @(posedge clk) begin
    if (w_take) begin
      w_first_q <= w_last;
      w_at_q <= after(w_at, aw.size);
      w_left_q <= w_left - 1'b1;
    end
    if (rst) w_first_q <= 1'b1;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < STRB_W; i++) begin
      if (w_take && aw.resp == OKAY && s_axi.wstrb[i]) mem[w_word][8*i+:8] <= s_axi.wdata[8*i+:8];
    end
  end

  kumi_slice #(
      .W(ID_W + 2),
      .MODE(2)
  ) u_b (
      .clk,
      .rst,
      .s_data ({aw.id, aw.resp}),
      .s_valid(aw_pop),
      .s_ready(b_room),
      .m_data ({s_axi.bid, s_axi.bresp}),
      .m_valid(s_axi.bvalid),
      .m_ready(s_axi.bready)
  );

  // ---- reads ---------------------------------------------------------------------------------
  // A beat of a new burst goes to the memory in the cycle of the handshake if the memory is free,
  // else it waits in ar_q like the later beats.
  axi_burst_t ar_in, ar_q, ar;
  logic busy_q, go, r_last, ram_free, ram_valid_q, ram_last_q, out_free;
  logic [ID_W-1:0] ram_id_q;
  logic [1:0] ram_resp_q;
  logic [WORD_W-1:0] r_word;
  logic [DATA_W-1:0] ram_q;

  assign ar_in = '{
          id: s_axi.arid,
          addr: s_axi.araddr,
          len: s_axi.arlen,
          size: s_axi.arsize,
          resp: resp_of(s_axi.araddr, s_axi.arburst)
      };
  assign ar = busy_q ? ar_q : ar_in;
  assign s_axi.arready = !busy_q;
  assign r_last = ar.len == '0;
  assign out_free = !s_axi.rvalid || s_axi.rready;
  assign ram_free = !ram_valid_q || out_free;
  assign go = (busy_q || s_axi.arvalid) && ram_free;
  assign r_word = ar.addr[WORD_W+LANE_W-1:LANE_W];

  always_ff @(posedge clk) begin
    if (busy_q || s_axi.arvalid) begin
      ar_q   <= ar;
      busy_q <= !go || !r_last;
      if (go) begin
        ar_q.addr[PAGE_W-1:0] <= after(ar.addr[PAGE_W-1:0], ar.size);
        ar_q.len <= ar.len - 1'b1;
      end
    end
    if (ram_free) begin
      ram_valid_q <= go;
      ram_last_q <= r_last;
      ram_id_q <= ar.id;
      ram_resp_q <= ar.resp;
    end
    if (out_free) begin
      s_axi.rvalid <= ram_valid_q;
      s_axi.rdata  <= ram_q;
      s_axi.rlast  <= ram_last_q;
      s_axi.rid    <= ram_id_q;
      s_axi.rresp  <= ram_resp_q;
    end
    if (rst) begin
      busy_q <= 1'b0;
      ram_valid_q <= 1'b0;
      s_axi.rvalid <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (ram_free) ram_q <= mem[r_word];
  end

  logic unused;
  assign unused = ^{aw.addr, s_axi.wlast};
endmodule
