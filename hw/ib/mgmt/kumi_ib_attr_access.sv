// SPDX-License-Identifier: Apache-2.0
//
// The attribute memory, and passes over one block of it together with the datagram in the packet
// buffer. After reset, from tables_ready on, it writes the reset values of all attributes once.
//
// start: pulse while idle and ready; op, block, index, live, qp1 must be stable until done.
//   KEY compares the M_Key of the datagram with that of the block (PortInfo): key_match, key_zero.
//   CHECK looks at the datagram's data: invalid. WRITE stores it, but for what may not be set.
//   READ puts the attribute, with what hardware knows, into the datagram; with qp1 48 words, else
//   16. done: pulse; results stay until the next start.
// set: every word that is written, reset values too: for what acts on hardware. Forwarding tables
//   come with 4 cycles between words. buf_*: packet buffer, read latency 1. cnt_word: word of
//   PortCounters (0 to 15) or the extended ones (16 to 31); cnt_data 2 cycles later.
// A pass takes its words and 5 cycles more, or 4 cycles a word to write a forwarding table.
module kumi_ib_attr_access
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE = 2,
    parameter int PORTS     = 4,
    parameter int DATA_VLS  = 4,
    parameter int MTU_CAP   = 4,
    parameter int WIDTH     = 2,
    parameter int SPEED     = 1,
    parameter int LFT_CAP   = 1024,
    parameter int MFT_CAP   = 128
) (
    input  logic                clk,
    input  logic                rst,
    input  logic        [ 63:0] node_guid,
    input  logic        [511:0] description,
    input  logic                tables_ready,
    // operation
    input  logic                start,
    input  access_e             op,
    input  block_e              block,
    input  logic        [ 15:0] index,
    input  attr_live_t          live,
    input  logic                qp1,
    output logic                ready,
    output logic                done,
    output logic                invalid,
    output logic                key_match,
    output logic                key_zero,
    // packet buffer
    output logic        [  6:0] buf_rd_addr,
    input  logic        [ 31:0] buf_rd_data,
    output logic                buf_wr_en,
    output logic        [  6:0] buf_wr_addr,
    output logic        [ 31:0] buf_wr_data,
    // counters
    output logic        [  4:0] cnt_word,
    input  logic        [ 31:0] cnt_data,
    // effects
    output logic                set_valid,
    output attr_write_t         set
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;
  localparam int PORT_W = $clog2(PORTS + 1);
  localparam int SL2VLS = SWITCH ? 1 << (2 * PORT_W) : PORTS + 1;
  localparam int LFT_BLOCKS = SWITCH ? LFT_CAP / 64 : 0;
  localparam int MFT_BLOCKS = SWITCH ? MFT_CAP / 32 * ((PORTS + 16) / 16) : 0;
  localparam int BY_PORT = 16 * (PORTS + 1);
  localparam int SL2VL_AT = 5 * BY_PORT + 48;
  localparam int LFT_AT = SL2VL_AT + 2 * SL2VLS;
  localparam int MFT_AT = LFT_AT + 16 * LFT_BLOCKS;
  localparam int DEPTH = MFT_AT + 16 * MFT_BLOCKS + 16;  // reads pass the end of the last block
  localparam int ADDR_W = $clog2(DEPTH);

  function automatic int first_of(input block_e b);
    unique case (b)
      BLK_PORT_INFO: return 0;
      BLK_P_KEYS: return BY_PORT;
      BLK_ARB_LOW: return 2 * BY_PORT;
      BLK_ARB_HIGH: return 3 * BY_PORT;
      BLK_GUIDS: return 4 * BY_PORT;
      BLK_NODE_INFO: return 5 * BY_PORT;
      BLK_NODE_DESC: return 5 * BY_PORT + 16;
      BLK_SWITCH_INFO: return 5 * BY_PORT + 32;
      BLK_SL2VL: return SL2VL_AT;
      BLK_LFT: return LFT_AT;
      default: return MFT_AT;
    endcase
  endfunction

  function automatic logic [15:0] count_of(input block_e b);
    unique case (b)
      BLK_NODE_INFO, BLK_NODE_DESC, BLK_SWITCH_INFO: return 16'd1;
      BLK_SL2VL: return 16'(SL2VLS);
      BLK_LFT: return 16'(LFT_BLOCKS);
      BLK_MFT: return 16'(MFT_BLOCKS);
      default: return 16'(PORTS + 1);
    endcase
  endfunction

  // ---- Reset values: one pass per block ---------------------------------------------------------
  block_e init_block_q, next_block, at_block;
  logic [15:0] init_index_q, next_index, at_index;
  logic init_q, init_run_q, last_index, begin_pass, finished;

  assign ready = !init_q;
  assign next_block = init_q ? init_block_q : block;
  assign next_index = init_q ? init_index_q : index;
  assign begin_pass = init_q ? !init_run_q && tables_ready : start;
  assign last_index = init_index_q + 16'd1 >= count_of(init_block_q);

  always_ff @(posedge clk) begin
    if (init_q && begin_pass) init_run_q <= 1'b1;
    if (init_q && init_run_q && finished) begin
      init_run_q   <= 1'b0;
      init_index_q <= last_index ? '0 : init_index_q + 1'b1;
      if (last_index) begin
        init_block_q <= block_e'(init_block_q + 4'd1);
        if (init_block_q == (SWITCH ? BLK_MFT : BLK_SL2VL)) init_q <= 1'b0;
      end
    end
    if (rst) begin
      init_q <= 1'b1;
      init_run_q <= 1'b0;
      init_index_q <= '0;
      init_block_q <= BLK_PORT_INFO;
    end
  end

  // ---- Pass: a addresses, b memories, c values, d result ----------------------------------------
  logic [5:0] word_q, last_q, word_b, word_c, word_d;
  logic [ADDR_W-1:0] addr_q, addr_b, addr_c, addr_d;
  logic [1:0] pace_q;
  logic run_q, slow_q, fire, v_b, v_c, v_d, was_busy_q, busy, end_port;
  logic is_key, is_check, is_write, is_read;

  assign is_key = !init_q && op == ACCESS_KEY;
  assign is_check = !init_q && op == ACCESS_CHECK;
  assign is_write = init_q || op == ACCESS_WRITE;
  assign is_read = !init_q && op == ACCESS_READ;
  assign fire = run_q && pace_q == '0;
  assign busy = run_q || v_b || v_c || v_d;
  assign finished = was_busy_q && !busy;
  assign done = finished && !init_q;
  assign cnt_word = {at_block == BLK_COUNTERS_EXT, word_q[3:0]};
  assign buf_rd_addr = 7'(word_q) + (is_key ? 7'(M_KEY_AT) : 7'(DATA_AT));

  always_ff @(posedge clk) begin
    was_busy_q <= busy;
    pace_q <= fire && slow_q ? 2'd3 : pace_q == '0 ? '0 : pace_q - 1'b1;
    if (fire) begin
      word_q <= word_q + 1'b1;
      addr_q <= addr_q + 1'b1;
      if (word_q == last_q) run_q <= 1'b0;
    end
    if (begin_pass) begin
      run_q <= 1'b1;
      word_q <= '0;
      slow_q <= is_write && (next_block == BLK_LFT || next_block == BLK_MFT);
      last_q <= is_key || (is_write && next_block == BLK_SL2VL) ? 6'd1
          : is_read && qp1 ? 6'd47 : 6'd15;
      addr_q <= ADDR_W'(first_of(
          next_block
      )) + (next_block == BLK_SL2VL ? ADDR_W'({next_index, 1'b0}) : ADDR_W'({next_index, 4'd0}));
      at_block <= next_block;
      at_index <= next_index;
      end_port <= SWITCH ? next_index == '0 : next_index != '0;
    end
    v_b <= fire;
    v_c <= v_b;
    v_d <= v_c;
    {word_b, addr_b} <= {word_q, addr_q};
    {word_c, addr_c} <= {word_b, addr_b};
    {word_d, addr_d} <= {word_c, addr_c};
    if (rst) begin
      run_q <= 1'b0;
      pace_q <= '0;
      v_b <= 1'b0;
      v_c <= 1'b0;
      v_d <= 1'b0;
      was_busy_q <= 1'b0;
    end
  end

  // ---- Memories and constants -------------------------------------------------------------------
  logic [31:0] old, const_value, const_mask;
  logic [31:0] old_c, new_c, mask_c;
  logic mem_wr;
  attr_write_t set_d;

  kumi_ram_sdp #(
      .W(32),
      .DEPTH(DEPTH)
  ) u_mem (
      .clk,
      .wr_en  (mem_wr),
      .wr_addr(addr_d),
      .wr_data(set_d.value),
      .rd_en  (1'b1),
      .rd_addr(addr_q),
      .rd_data(old)
  );

  kumi_ib_attr_const #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .DATA_VLS(DATA_VLS),
      .MTU_CAP(MTU_CAP),
      .WIDTH(WIDTH),
      .SPEED(SPEED),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP)
  ) u_const (
      .node_guid,
      .description,
      .block(at_block),
      .word (word_b[3:0]),
      .port (at_index[7:0]),
      .end_port,
      .value(const_value),
      .mask (const_mask)
  );

  always_ff @(posedge clk) begin
    old_c  <= old;
    new_c  <= init_q ? const_value : buf_rd_data;
    mask_c <= init_q ? '1 : const_mask;
  end

  // ---- What may be set, and what is read --------------------------------------------------------
  logic [31:0] mask, seen;
  logic bad, info;
  assign info = at_block == BLK_PORT_INFO;

  always_comb begin
    mask = mask_c;
    bad  = 1'b0;
    // Fields in which 0 means no change.
    if (info && word_c == 6'd8 && new_c[19:16] == '0) mask[19:16] = '0;
    if (info && word_c == 6'd9 && new_c[31:28] == '0) mask[31:28] = '0;
    if (info && word_c == 6'd10 && new_c[7:4] == '0) mask[7:4] = '0;

    if (info && word_c == 6'd4) bad = end_port && new_c[31:16] >= 16'hC000;
    if (info && word_c == 6'd8) begin
      unique case (new_c[27:24])
        4'd0, 4'd1: ;
        4'd3: bad = live.port_state < 3'd2;
        4'd4: bad = live.port_state < 3'd3;
        default: bad = 1'b1;
      endcase
      if (SWITCH && at_index == '0) bad = 1'b0;
      if (new_c[23:20] != '0 && new_c[23:20] != PHYS_POLLING && new_c[23:20] != PHYS_DISABLED) begin
        bad = 1'b1;
      end
      if (new_c[19:16] != '0 && new_c[19:16] != 4'd2) bad = 1'b1;
    end
    if (info && word_c == 6'd9) bad = new_c[31:28] > 4'(MTU_CAP);
    if (info && word_c == 6'd10) bad = new_c[7:4] > {1'b0, vls_code(DATA_VLS)};
    if (at_block == BLK_SWITCH_INFO && word_c == 6'd1) bad = new_c[15:0] >= 16'(LFT_CAP);
  end

  always_comb begin
    seen = old_c;
    unique case (at_block)
      BLK_PORT_INFO: begin
        unique case (word_c)
          6'd0, 6'd1: if (live.hide_m_key) seen = '0;
          6'd5: seen[1] = end_port && live.is_sm;
          6'd7: seen[31:24] = {1'b0, live.arrival};
          6'd8: begin
            seen[27:20] = {1'b0, live.port_state, live.phys_state};
            if (end_port) seen[15:14] = live.protect;
          end
          6'd11: if (end_port) seen[31:16] = live.violations;
          default: ;
        endcase
      end
      BLK_NODE_INFO: begin
        unique case (word_c)
          6'd5: seen = live.guid[63:32];
          6'd6: seen = live.guid[31:0];
          6'd9: seen = {1'b0, live.arrival, node_guid[63:40]};
          default: ;
        endcase
      end
      BLK_SWITCH_INFO: if (word_c == 6'd2) seen[2] = live.state_change;
      BLK_SL2VL: if (word_c > 6'd1) seen = '0;
      BLK_COUNTERS, BLK_COUNTERS_EXT: seen = word_c == '0 ? {8'd0, new_c[23:0]} : cnt_data;
      BLK_CLASS_INFO: begin
        unique case (word_c)
          6'd0: seen = {8'd1, 8'd1, 16'h1400};  // XmitWait; extended counters without unicast ones
          6'd1: seen = 32'd18;  // RespTimeValue
          default: seen = '0;
        endcase
      end
      default: ;
    endcase
    if (word_c > 6'd15) seen = '0;
  end

  always_ff @(posedge clk) begin
    set_d.block <= at_block;
    set_d.index <= at_index;
    set_d.word  <= word_c[3:0];
    set_d.value <= (old_c & ~mask) | (new_c & mask);
    set_d.raw   <= new_c;
    set_d.init  <= init_q;
    buf_wr_data <= seen;
    if (begin_pass) begin
      invalid   <= 1'b0;
      key_match <= 1'b1;
      key_zero  <= 1'b1;
    end else if (v_c) begin
      if (is_check && bad) invalid <= 1'b1;
      if (is_key && old_c != new_c) key_match <= 1'b0;
      if (is_key && old_c != '0) key_zero <= 1'b0;
    end
  end

  assign set = set_d;
  assign set_valid = v_d && is_write;
  assign mem_wr = set_valid && set_d.block <= BLK_MFT;
  assign buf_wr_en = v_d && is_read;
  assign buf_wr_addr = 7'(word_d) + 7'(DATA_AT);
endmodule
