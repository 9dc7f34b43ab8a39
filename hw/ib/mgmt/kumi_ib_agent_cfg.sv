// SPDX-License-Identifier: Apache-2.0
//
// Attributes that act on hardware: settings of the links, LIDs, SwitchInfo, and the tables of the
// switch, from the words that are written to the attribute memory.
//
// set: one word; those of forwarding tables at most every fourth cycle. commit: pulse after the
//   last word of a datagram; a port state is commanded then, for one cycle, when the settings that
//   came with it are in force. commanded_down: with the command Down,
//   or Disabled.
// lft_*, mft_*: one entry a cycle with *_we. s2v_*: a table with s2v_we, SL 0 in [63:60].
//   A switch's cfg.sl2vl is that of its own packets (input port 0).
module kumi_ib_agent_cfg
  import kumi_ib_pkg::*, kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter  int NODE_TYPE = 2,
    parameter  int PORTS     = 4,
    parameter  int MFT_CAP   = 128,
    localparam int PORT_W    = $clog2(PORTS + 1)
) (
    input  logic                          clk,
    input  logic                          rst,
    input  logic                          set_valid,
    input  attr_write_t                   set,
    input  logic                          commit,
    // links
    output ib_link_cfg_t   [PORTS:1]      cfg,
    output logic           [PORTS:1]      commanded_down,
    output logic           [PORTS:1][4:0] hoq_life,
    output logic           [PORTS:1][2:0] vl_stall,
    // node
    output end_port_t      [PORTS:0]      ends,
    output ib_switch_cfg_t                sw_cfg,
    output logic                          clear_change,
    // tables of a switch
    output logic                          lft_we,
    output logic           [   15:0]      lft_lid,
    output logic           [    7:0]      lft_port,
    output logic                          mft_we,
    output logic           [   15:0]      mft_lid,
    output logic           [    3:0]      mft_position,
    output logic           [   15:0]      mft_mask,
    output logic                          s2v_we,
    output logic           [    7:0]      s2v_in,
    output logic           [    7:0]      s2v_out,
    output logic           [   63:0]      s2v_table
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;
  localparam int MFT_BLOCK_W = $clog2(MFT_CAP / 32);

  ib_link_cfg_t [PORTS:1] cfg_q;
  port_state_e [PORTS:1] command_q;
  logic [31:0] low_q;  // first word of an SL to VL table
  logic [63:0] s2v;
  logic [31:0] value;
  logic [15:0] s2v_from, s2v_to;
  assign value = set.value;

  // The wire has SL 0 in the most significant nibble of the first word, cfg in [3:0].
  always_comb begin
    for (int sl = 0; sl < 8; sl++) begin
      s2v[4*sl+:4] = low_q[4*(7-sl)+:4];
      s2v[32+4*sl+:4] = value[4*(7-sl)+:4];
    end
    s2v_from = SWITCH ? set.index >> PORT_W : '0;
    s2v_to   = SWITCH ? 16'(set.index[PORT_W-1:0]) : set.index;
  end

  // ---- Links ------------------------------------------------------------------------------------
  for (genvar p = 1; p <= PORTS; p++) begin : gen_port
    logic mine;
    assign mine = set_valid && set.index == 16'(p);

    always_ff @(posedge clk) begin
      cfg_q[p].set_state <= commit ? command_q[p] : PORT_NOP;
      commanded_down[p]  <= commit && command_q[p] == PORT_DOWN;
      if (commit) command_q[p] <= PORT_NOP;
      if (mine && set.block == BLK_PORT_INFO) begin
        unique case (set.word)
          4'd8: begin
            if (!set.init) command_q[p] <= port_state_e'(set.raw[26:24]);
            if (!set.init && set.raw[23:20] == PHYS_DISABLED) begin
              cfg_q[p].enable   <= 1'b0;
              commanded_down[p] <= 1'b1;
            end
            if (set.init || set.raw[23:20] == PHYS_POLLING) cfg_q[p].enable <= 1'b1;
          end
          4'd9: begin
            cfg_q[p].mtu <= value[30:28];
            cfg_q[p].high_limit <= value[15:8];
          end
          4'd10: begin
            vl_stall[p] <= value[15:13];
            hoq_life[p] <= value[12:8];
            cfg_q[p].oper_vls <= value[6:4];
          end
          4'd13: begin
            cfg_q[p].phy_errors <= value[23:20];
            cfg_q[p].overrun_errors <= value[19:16];
          end
          default: ;
        endcase
      end
      for (int i = 0; i < ARB_ENTRIES; i++) begin
        if (mine && set.word == 4'(i / 2)) begin
          if (set.block == BLK_ARB_LOW) cfg_q[p].arb_low[i] <= value[16*(1-i%2)+:12];
          if (set.block == BLK_ARB_HIGH) cfg_q[p].arb_high[i] <= value[16*(1-i%2)+:12];
        end
      end
      if (set_valid && set.block == BLK_SL2VL && set.word == 4'd1 && s2v_from == '0
          && s2v_to == 16'(p))
        cfg_q[p].sl2vl <= s2v;
      if (rst) begin
        cfg_q[p].enable    <= 1'b0;
        cfg_q[p].set_state <= PORT_NOP;
        command_q[p]       <= PORT_NOP;
        commanded_down[p]  <= 1'b0;
      end
    end
  end
  assign cfg = cfg_q;

  // ---- Ports with a LID, node -------------------------------------------------------------------
  for (genvar p = 0; p <= PORTS; p++) begin : gen_end
    if (SWITCH == (p == 0)) begin : gen_lid
      always_ff @(posedge clk) begin
        if (set_valid && set.block == BLK_PORT_INFO && set.index == 16'(p)) begin
          unique case (set.word)
            4'd4: {ends[p].lid, ends[p].sm_lid} <= value;
            4'd8: ends[p].lmc <= value[10:8];
            4'd9: ends[p].sm_sl <= value[27:24];
            4'd12: ends[p].timeout <= value[4:0];
            default: ;
          endcase
        end
        if (rst) ends[p] <= '0;
      end
    end else begin : gen_none
      assign ends[p] = '0;
    end
  end

  always_ff @(posedge clk) begin
    clear_change <= 1'b0;
    if (set_valid && set.block == BLK_SWITCH_INFO) begin
      if (set.word == 4'd1) sw_cfg.lft_top <= value[15:0];
      if (set.word == 4'd2) begin
        sw_cfg.mcast_primary <= value[23:16];
        sw_cfg.mcast_not_primary <= value[15:8];
        sw_cfg.life_time <= value[7:3];
        clear_change <= set.raw[2] && !set.init;
      end
    end
    if (rst) begin
      sw_cfg <= '0;
      clear_change <= 1'b0;
    end
  end

  // ---- Tables -----------------------------------------------------------------------------------
  logic [31:0] entries_q;
  logic [ 2:0] left_q;  // entries of the word that remain

  assign lft_port = entries_q[31:24];
  assign mft_mask = entries_q[31:16];

  always_ff @(posedge clk) begin
    if (set_valid && set.block == BLK_SL2VL && set.word == 4'd0) low_q <= value;
    s2v_we <= set_valid && set.block == BLK_SL2VL && set.word == 4'd1 && s2v_from <= 16'(PORTS)
        && s2v_to <= 16'(PORTS);
    s2v_in <= s2v_from[7:0];
    s2v_out <= s2v_to[7:0];
    s2v_table <= {low_q, value};

    lft_we <= 1'b0;
    mft_we <= 1'b0;
    if (left_q > 3'd1) begin
      left_q <= left_q - 1'b1;
      lft_we <= lft_we;
      mft_we <= mft_we;
      lft_lid <= lft_lid + 1'b1;
      mft_lid <= mft_lid + 1'b1;
      entries_q <= lft_we ? entries_q << 8 : entries_q << 16;
    end
    if (set_valid && (set.block == BLK_LFT || set.block == BLK_MFT)) begin
      entries_q <= value;
      lft_we <= set.block == BLK_LFT;
      mft_we <= set.block == BLK_MFT;
      left_q <= set.block == BLK_LFT ? 3'd4 : 3'd2;
      lft_lid <= {set.index[9:0], set.word, 2'd0};
      mft_lid <= LID_MCAST + 16'({(16'(set.index) & 16'((1 << MFT_BLOCK_W) - 1)), set.word, 1'b0});
      mft_position <= 4'(set.index >> MFT_BLOCK_W);
    end
    if (rst) begin
      left_q <= '0;
      lft_we <= 1'b0;
      mft_we <= 1'b0;
      s2v_we <= 1'b0;
    end
  end
endmodule
