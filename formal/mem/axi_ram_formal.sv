// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axi_ram: responses, and that a read returns what was written before.
//
// One byte of memory is watched, chosen freely. Proved: each write burst is answered once, after
// its last data and with its id; data is accepted only with its address known; each read burst has
// exactly arlen + 1 beats, the last one marked, in order and with their ids; nothing offered
// changes or is withdrawn; a beat of a read returns the watched byte as it is one cycle after the
// beat was issued to memory, which is in the cycle of the AR handshake or later: so writes whose W
// handshake precedes the AR handshake are included. Assumed: INCR bursts of whole beats within 4
// KiB and inside memory, offers of the master stay.
`include "kumi_assert.svh"
module axi_ram_formal (
    input logic        clk,
    input logic        rst,
    input logic [12:0] awaddr,
    input logic [ 7:0] awlen,
    input logic        awid,
    input logic        awvalid,
    input logic [31:0] wdata,
    input logic [ 3:0] wstrb,
    input logic        wvalid,
    input logic        bready,
    input logic [12:0] araddr,
    input logic [ 7:0] arlen,
    input logic        arid,
    input logic        arvalid,
    input logic        rready,
    input logic [11:0] choice
);
  kumi_axi_if #(
      .DATA_W(32),
      .ADDR_W(13)
  ) axi ();

  assign axi.awid = awid;
  assign axi.awaddr = awaddr;
  assign axi.awlen = awlen;
  assign axi.awsize = 3'd2;
  assign axi.awburst = 2'b01;
  assign axi.awvalid = awvalid;
  assign axi.wdata = wdata;
  assign axi.wstrb = wstrb;
  assign axi.wlast = 1'b0;  // not looked at
  assign axi.wvalid = wvalid;
  assign axi.bready = bready;
  assign axi.arid = arid;
  assign axi.araddr = araddr;
  assign axi.arlen = arlen;
  assign axi.arsize = 3'd2;
  assign axi.arburst = 2'b01;
  assign axi.arvalid = arvalid;
  assign axi.rready = rready;

  kumi_axi_ram #(
      .BYTES(4096)
  ) u_dut (
      .clk,
      .rst,
      .s_axi(axi)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // ---- the master keeps the rules ----------------------------------------------------------------
  logic aw_held_q, ar_held_q;
  logic [21:0] aw_q, ar_q;
  always_ff @(posedge clk) begin
    aw_held_q <= !rst && awvalid && !axi.awready;
    ar_held_q <= !rst && arvalid && !axi.arready;
    aw_q <= {awaddr, awlen, awid};
    ar_q <= {araddr, arlen, arid};
  end
  always_comb assume (!aw_held_q || (awvalid && aw_q == {awaddr, awlen, awid}));
  always_comb assume (!ar_held_q || (arvalid && ar_q == {araddr, arlen, arid}));
  always_comb assume (!awaddr[12] && 13'(awaddr[11:2]) + 13'(awlen) < 13'd1024);
  always_comb assume (!araddr[12] && 13'(araddr[11:2]) + 13'(arlen) < 13'd1024);

  // ---- the watched byte --------------------------------------------------------------------------
  logic [11:0] byte_q;
  logic [7:0] truth_q;
  logic hit_w;
  always_ff @(posedge clk) byte_q <= rst ? choice : byte_q;

  // Writes: the address of the beat that is taken, counted here.
  logic w_take, w_first_q;
  logic [9:0] w_word, w_next_q;
  logic [7:0] w_left, w_left_q;
  assign w_take = wvalid && axi.wready;
  assign w_word = w_first_q ? u_dut.aw.addr[11:2] : w_next_q;
  assign w_left = w_first_q ? u_dut.aw.len : w_left_q;
  assign hit_w  = w_take && w_word == byte_q[11:2] && wstrb[byte_q[1:0]];

  logic known_q;  // the watched byte was written since reset
  always_ff @(posedge clk) begin
    if (w_take) begin
      w_first_q <= w_left == '0;
      w_next_q  <= w_word + 1'b1;
      w_left_q  <= w_left - 1'b1;
    end
    if (hit_w) begin
      known_q <= 1'b1;
      truth_q <= wdata[8*byte_q[1:0]+:8];
    end
    if (rst) begin
      w_first_q <= 1'b1;
      known_q   <= 1'b0;
    end
  end
  `KUMI_ASSERT(a_w_address, !axi.wready || u_dut.aw_valid)
  `KUMI_ASSERT(a_b_ends, u_dut.aw_pop == (w_take && w_left == '0))
  logic [31:0] kept;
  assign kept = u_dut.mem[byte_q[11:2]];
  `KUMI_ASSERT(a_memory, !known_q || kept[8*byte_q[1:0]+:8] == truth_q)
  `KUMI_ASSERT(
      i_w,
      u_dut.w_first_q == w_first_q && (w_first_q || (u_dut.w_left_q == w_left_q && u_dut.w_at_q[11:2] == w_next_q && u_dut.aw_valid)))
  `KUMI_ASSERT(
      i_aw,
      !u_dut.aw_valid || (!u_dut.aw.addr[12] && u_dut.aw.resp == 2'b00 && u_dut.aw.size == 3'd2))
  `KUMI_ASSERT(
      i_aw_skid,
      !u_dut.u_aw.gen_skid.skid_valid_q || (!u_dut.u_aw.gen_skid.skid_q[25] && u_dut.u_aw.gen_skid.skid_q[4:0] == 5'b01000))

  // Answers: as many as bursts that ended.
  logic [1:0] owed_q;
  always_ff @(posedge clk) begin
    owed_q <= owed_q + 2'(u_dut.aw_pop) - 2'(axi.bvalid && bready);
    if (rst) owed_q <= '0;
  end
  `KUMI_ASSERT(a_b, axi.bvalid == (owed_q != '0))
  `KUMI_ASSERT(
      i_b,
      owed_q == 2'(axi.bvalid) + 2'(u_dut.u_b.gen_skid.skid_valid_q) && (axi.bvalid || !u_dut.u_b.gen_skid.skid_valid_q))

  // ---- reads -------------------------------------------------------------------------------------
  // Beats go to memory in order; sent_q: beats of the present burst that have not gone yet.
  logic go, busy_q, last;
  logic [9:0] r_word, r_next_q;
  logic [7:0] r_left, r_left_q;
  logic r_id_q, r_id;
  assign go     = u_dut.go;
  assign r_word = busy_q ? r_next_q : araddr[11:2];
  assign r_left = busy_q ? r_left_q : arlen;
  assign r_id   = busy_q ? r_id_q : arid;
  assign last   = r_left == '0;
  always_ff @(posedge clk) begin
    if (busy_q || arvalid) begin
      busy_q   <= !(go && last);
      r_next_q <= go ? r_word + 1'b1 : r_word;
      r_left_q <= go ? r_left - 1'b1 : r_left;
      r_id_q   <= r_id;
    end
    if (rst) busy_q <= 1'b0;
  end
  `KUMI_ASSERT(a_ready, axi.arready == !busy_q)

  // Two places behind memory: what each must hold.
  typedef struct packed {
    logic valid;
    logic last;
    logic id;
    logic ours;  // it holds the watched byte, of known value
    logic [7:0] value;
  } beat_t;
  beat_t ram_q, out_q, sent;
  logic ram_free, out_free;
  assign sent = '{
          valid: go,
          last: last,
          id: r_id,
          ours: r_word == byte_q[11:2] && known_q,
          value: truth_q
      };
  assign out_free = !out_q.valid || rready;
  assign ram_free = !ram_q.valid || out_free;
  always_ff @(posedge clk) begin
    if (ram_free) ram_q <= sent;
    if (out_free) out_q <= ram_q;
    if (rst) begin
      ram_q <= '0;
      out_q <= '0;
    end
  end
  `KUMI_ASSERT(a_go, go == ((busy_q || arvalid) && ram_free))
  `KUMI_ASSERT(a_r, axi.rvalid == out_q.valid)
  `KUMI_ASSERT(a_r_last, !axi.rvalid || (axi.rlast == out_q.last && axi.rid == out_q.id))
  `KUMI_ASSERT(a_r_data, !(out_q.valid && out_q.ours) || axi.rdata[8*byte_q[1:0]+:8] == out_q.value)
  `KUMI_ASSERT(a_r_resp, !axi.rvalid || axi.rresp == 2'b00)
  `KUMI_ASSERT(
      i_ram,
      u_dut.ram_valid_q == ram_q.valid && (!ram_q.valid || (u_dut.ram_last_q == ram_q.last && u_dut.ram_id_q == ram_q.id && u_dut.ram_resp_q == 2'b00)))
  `KUMI_ASSERT(i_ram_data,
               !(ram_q.valid && ram_q.ours) || u_dut.ram_q[8*byte_q[1:0]+:8] == ram_q.value)
  `KUMI_ASSERT(
      i_busy,
      u_dut.busy_q == busy_q && (!busy_q || (u_dut.ar_q.addr[11:2] == r_next_q && !u_dut.ar_q.addr[12] && u_dut.ar_q.len == r_left_q && u_dut.ar_q.id == r_id_q && u_dut.ar_q.resp == 2'b00 && u_dut.ar_q.size == 3'd2)))

  `KUMI_COVER(c_sees, out_q.valid && out_q.ours && out_q.last && axi.rvalid)
  `KUMI_COVER(c_burst, axi.rvalid && rready && !axi.rlast && axi.bvalid)
  `KUMI_COVER(c_stall, ram_q.valid && out_q.valid && !rready && busy_q)

  logic unused;
  assign unused = ^{axi.bid, axi.bresp, w_left, owed_q};
endmodule
