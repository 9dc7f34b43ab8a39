// SPDX-License-Identifier: Apache-2.0
//
// Store side of an SW2 network interface: where a process's stores become communication (source
// paper, table 1). Only writes; a page of 4 KiB each, so that an operating system can give each to
// one process.
//
// Address map: bit 19 clear: kick page addr[18:12], each store of 1 to 8 bytes is a packet (AOTF).
//   Bit 19 set: window addr[18:12], word addr[8:3] of 64: 0: {op [59:56], len [55:40], region
//   [39:32], dst [15:0]} as in sw2_head_t; 1: offset in the region; from word 2: data (BOTF) or the
//   place in the local memory (RDMA); 63: kick, its value does not matter. Windows are written with
//   whole words.
// s_axi: INCR bursts of beats of 8 bytes, or single beats of any size. A store waits while its
//   packet cannot be taken.
// m_packet: {kick entry's header, offset, data, length}; valid and ready. m_kick: a window whose
//   command is to be executed; busy[w] until done[w]. w_*: writes of window memory.
// Bad input, answered SLVERR and counted (ev_store, ev_window): page not enabled, store beyond the
//   page's limit, strobes that are not one run, words of a window that are not whole; a window that
//   is busy or not enabled. Latency of a store, W to m_packet: 3 cycles.
module kumi_sw2_store
  import kumi_sw2_pkg::*;
#(
    parameter  int KICKS   = 16,               // pages of the kick area, up to 128
    parameter  int WINDOWS = 16,               // up to 128
    localparam int WIN_W   = $clog2(WINDOWS),
    localparam int KICK_W  = $clog2(KICKS)
) (
    input logic clk,
    input logic rst,
    input table_write_t write,
    input logic [15:0] node,
    kumi_axi_if.slv_wr s_axi,

    kumi_axis_if.src m_axis,  // AOTF packets, tdest the channel

    output logic w_we,
    output logic [WIN_W+5:0] w_addr,
    output logic [63:0] w_data,
    output logic kick_valid,
    output logic [WIN_W-1:0] kick_window,
    input logic [WINDOWS-1:0] busy,
    input logic [WINDOWS-1:0] window_enabled,

    output logic ev_store,
    output logic ev_window
);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  if (s_axi.DATA_W != 64 || s_axi.ADDR_W < 20) begin : gen_check_axi
    $fatal(0, "s_axi must have 64 bits of data and 20 of address (%m)");
  end
  if (KICKS > 128 || WINDOWS > 128 || KICKS < 2 || WINDOWS < 2) begin : gen_check_n
    $fatal(0, "KICKS and WINDOWS must be 2..128 (%m)");
  end

  // ---- bursts ----------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    WAIT_AW,
    WAIT_W,
    CHECK,
    SEND,
    ANSWER
  } state_e;

  state_e state_q;
  logic [19:0] addr_q;
  logic [63:0] data_q;
  logic [7:0] strb_q;
  logic last_q, refused_q;
  logic [s_axi.ID_W-1:0] id_q;

  assign s_axi.awready = state_q == WAIT_AW;
  assign s_axi.wready = state_q == WAIT_W;
  assign s_axi.bvalid = state_q == ANSWER;
  assign s_axi.bresp = refused_q ? SLVERR : OKAY;
  assign s_axi.bid = id_q;

  // ---- header of the page ----------------------------------------------------------------------
  kick_t entry;
  logic [KICKS-1:0] enabled_q;
  logic [KICK_W-1:0] page;
  assign page = addr_q[12+:KICK_W];

  kumi_ram_sdp #(
      .W($bits(kick_t)),
      .DEPTH(KICKS)
  ) u_kicks (
      .clk,
      .wr_en  (write.valid && write.sel == TABLE_KICK && 32'(write.index) < KICKS),
      .wr_addr(write.index[KICK_W-1:0]),
      .wr_data(write.entry[$bits(kick_t)-1:0]),
      .rd_en  (1'b1),
      .rd_addr(page),
      .rd_data(entry)
  );
  always_ff @(posedge clk) begin
    if (write.valid && write.sel == TABLE_KICK && 32'(write.index) < KICKS) begin
      enabled_q[write.index[KICK_W-1:0]] <= write.entry[$bits(kick_t)-1];
    end
    if (rst) enabled_q <= '0;
  end

  // ---- strobes: first and last byte, one run ---------------------------------------------------
  logic [2:0] low, high;
  logic [7:0] filled;
  logic run;
  always_comb begin
    low  = '0;
    high = '0;
    for (int i = 7; i >= 0; i--) if (strb_q[i]) low = 3'(i);
    for (int i = 0; i < 8; i++) if (strb_q[i]) high = 3'(i);
    filled = strb_q | (strb_q - 1'b1);  // ones below the run, and the run
    run = strb_q != '0 && (filled & (filled + 1'b1)) == '0;
  end

  // ---- checks ----------------------------------------------------------------------------------
  logic is_window, store_good, window_good, run_q, page_enabled_q;
  logic checked_q, decide;
  logic [2:0] low_q, high_q;
  logic [WIN_W-1:0] window;
  assign is_window = addr_q[19];
  assign window = addr_q[12+:WIN_W];
  assign store_good = run_q && page_enabled_q && {1'b0, addr_q[11:3], high_q} < entry.limit;
  assign window_good = 32'(addr_q[18:12]) < WINDOWS && window_enabled[window] && !busy[window]
      && strb_q == '1 && addr_q[11:9] == '0;

  logic beat_taken;
  logic [1:0] beat_q;
  always_ff @(posedge clk) begin
    unique case (state_q)
      WAIT_AW: begin
        refused_q <= 1'b0;
        if (s_axi.awvalid) state_q <= WAIT_W;
        addr_q <= s_axi.awaddr[19:0];
        id_q   <= s_axi.awid;
      end
      WAIT_W: begin
        data_q <= s_axi.wdata;
        strb_q <= s_axi.wstrb;
        last_q <= s_axi.wlast;
        if (s_axi.wvalid) state_q <= CHECK;
      end
      CHECK: begin  // one cycle for the table and the strobes, one for the decision
        run_q <= run;
        low_q <= low;
        high_q <= high;
        page_enabled_q <= 32'(addr_q[18:12]) < KICKS && enabled_q[page];
        checked_q <= !checked_q;
        if (checked_q) begin
          if (is_window ? !window_good : !store_good) refused_q <= 1'b1;
          if (is_window || !store_good) begin
            state_q <= last_q ? ANSWER : WAIT_W;
            addr_q  <= addr_q + 20'd8;
          end else begin
            state_q <= SEND;
          end
        end
      end
      SEND:
      if (beat_taken && beat_q == 2'd2) begin
        state_q <= last_q ? ANSWER : WAIT_W;
        addr_q  <= addr_q + 20'd8;
      end
      default: if (s_axi.bready) state_q <= WAIT_AW;
    endcase
    if (rst) begin
      state_q   <= WAIT_AW;
      checked_q <= 1'b0;
    end
  end
  assign decide = state_q == CHECK && checked_q;
  always_ff @(posedge clk) begin
    ev_store  <= decide && !is_window && !store_good && !rst;
    ev_window <= decide && is_window && !window_good && !rst;
  end

  // ---- windows ---------------------------------------------------------------------------------
  assign w_we = decide && is_window && window_good;
  assign w_addr = {window, addr_q[8:3]};
  assign w_data = data_q;
  assign kick_valid = w_we && addr_q[8:3] == '1;
  assign kick_window = window;

  // ---- AOTF ------------------------------------------------------------------------------------
  sw2_head_t  head;
  sw2_place_t place;
  assign head = '{
          op: OP_AOTF,
          len: 16'(high_q - low_q) + 16'd1,
          region: entry.region,
          src: node,
          dst: entry.dst,
          default: '0
      };
  assign place = '{
          pgid: entry.pgid,
          offset: entry.offset + {20'd0, addr_q[11:3], low_q},
          default: '0
      };
  assign m_axis.tvalid = state_q == SEND;
  assign m_axis.tdata = beat_q == 2'd0 ? head : beat_q == 2'd1 ? place : data_q;
  assign m_axis.tkeep = '1;
  assign m_axis.tlast = beat_q == 2'd2;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = entry.vc;
  assign beat_taken = m_axis.tvalid && m_axis.tready;
  always_ff @(posedge clk) begin
    if (beat_taken) beat_q <= beat_q == 2'd2 ? '0 : beat_q + 1'b1;
    if (rst) beat_q <= '0;
  end

  logic unused;
  assign unused = ^{entry.enable, s_axi.awaddr, s_axi.awlen, s_axi.awsize, s_axi.awburst,
                    write.entry};
endmodule
