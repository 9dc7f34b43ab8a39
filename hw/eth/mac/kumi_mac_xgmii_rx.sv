// SPDX-License-Identifier: Apache-2.0
//
// Receive half of a 10 Gb/s Ethernet MAC on 64-bit XGMII (IEEE 802.3 clauses 3, 4 and 46): accepts
// frames that start in lane 0 or 4, checks and strips the FCS, and realigns to lane 0.
//
// m_axis: frames from the destination address on, without FCS. A line cannot stall: tready must be
//   high whenever tvalid is. A beat that meets a low tready is lost and counted, and its frame ends
//   bad; put a frame FIFO after the MAC if the client can stall.
// Latency: 2 cycles from the first data column to the first beat. With OUT_REG = 0 tuser comes
//   through the FCS comparison in the same cycle; OUT_REG = 1 registers it for one cycle more.
// Bad input: a frame with a wrong FCS, a control character inside, fewer than 64 or more than
//   cfg_max_frame bytes ends with tuser[0]; each frame raises exactly one event. A frame of four
//   bytes or fewer, and a start without preamble and delimiter, produces only its event. An
//   oversized frame is truncated. Characters outside frames are ignored.
module kumi_mac_xgmii_rx
  import kumi_eth_pkg::*;
  import kumi_mac_pkg::*;
  import kumi_xgmii_pkg::*;
#(
    parameter bit OUT_REG = 0  // register on m_axis
) (
    input logic clk,
    input logic rst,

    input logic [63:0] xgmii_rxd,
    input logic [ 7:0] xgmii_rxc,

    kumi_axis_if.src m_axis,

    input logic [13:0] cfg_max_frame,  // bytes with FCS, at least 64; constant while running

    output mac_rx_events_t ev
);

  if (m_axis.DATA_W != 64) begin : gen_check_width
    $fatal(0, "m_axis must be 64 bits wide (%m)");
  end

  // ---- Stage A: start detection, alignment to lane 0, end detection -----------------------------
  logic [7:0] is_term;  // lane holds a terminate character
  logic start0, start4, start0_ok, start4_ok;
  logic [31:0] hold_q;  // upper half of the last column, for a frame that began in lane 4
  logic [3:0] hold_ctl_q, hold_term_q;
  logic        start4_q;
  logic        off_q;  // the frame began in lane 4
  logic        start_q;  // the word now in stage A is the first of a frame
  logic        in_frame_q;
  logic [63:0] word;
  logic [7:0] ctl, term, data_run;
  logic end_ok;

  always_comb begin
    for (int j = 0; j < 8; j++) begin
      is_term[j] = xgmii_rxc[j] && (xgmii_rxd[8*j+:8] == XGMII_TERM);
    end
    start0 = xgmii_rxc[0] && (xgmii_rxd[7:0] == XGMII_START);
    start4 = xgmii_rxc[4] && (xgmii_rxd[39:32] == XGMII_START);
    start0_ok = start0 && (xgmii_rxc[7:1] == '0) && (xgmii_rxd[63:56] == SFD);
    start4_ok = start4_q && (hold_ctl_q[3:1] == '0) && (xgmii_rxc[3:0] == '0)
        && (xgmii_rxd[31:24] == SFD);

    word = off_q ? {xgmii_rxd[31:0], hold_q} : xgmii_rxd;
    ctl = off_q ? {xgmii_rxc[3:0], hold_ctl_q} : xgmii_rxc;
    term = off_q ? {is_term[3:0], hold_term_q} : is_term;
    end_ok = 1'b0;
    for (int j = 0; j < 8; j++) begin
      data_run[j] = ((ctl << (7 - j)) & 8'hFF) == 8'h00;  // lanes 0..j are all data
      end_ok      = end_ok || (term[j] && ((j == 0) ? 1'b1 : data_run[(j+7)%8]));
    end
  end

  always_ff @(posedge clk) begin
    hold_q      <= xgmii_rxd[63:32];
    hold_ctl_q  <= xgmii_rxc[7:4];
    hold_term_q <= is_term[7:4];
    start4_q    <= start4;
    start_q     <= start0_ok || start4_ok;
    if (start0_ok) off_q <= 1'b0;
    else if (start4_ok) off_q <= 1'b1;
    if (start0_ok || start4_ok) in_frame_q <= 1'b1;
    else if (!data_run[7]) in_frame_q <= 1'b0;
    if (rst) begin
      start4_q   <= 1'b0;
      start_q    <= 1'b0;
      off_q      <= 1'b0;
      in_frame_q <= 1'b0;
    end
  end

  // ---- Stage B: one aligned word of a frame -----------------------------------------------------
  logic a_valid_q, a_first_q, a_term_q;
  logic [63:0] a_data_q;  // bytes that are not frame are zero
  logic [ 7:0] a_run_q;  // lanes 0..j are frame
  logic a_end, a_over, a_only;
  logic        next_ends;  // the next word holds nothing but FCS
  logic        cut_q;  // over the limit: the rest of the frame is dropped
  logic [10:0] room_q;  // whole words until the limit
  logic [ 3:0] words_q;  // whole words so far, saturates at 8
  logic [31:0] crc_q;
  logic [63:0] crc_in;

  always_ff @(posedge clk) begin
    a_valid_q <= in_frame_q;
    a_first_q <= start_q;
    a_term_q  <= end_ok;
    a_run_q   <= in_frame_q ? data_run : '0;
    for (int j = 0; j < 8; j++) begin
      a_data_q[8*j+:8] <= (in_frame_q && data_run[j]) ? word[8*j+:8] : 8'h00;
    end
    if (rst) begin
      a_valid_q <= 1'b0;
      a_first_q <= 1'b0;
      a_run_q   <= '0;
    end
  end

  assign a_end = a_valid_q && !a_run_q[7];
  assign next_ends = !data_run[4];
  assign a_over = a_valid_q && !cut_q && (room_q == '0) && a_run_q[cfg_max_frame[2:0]];
  assign a_only = a_first_q && !a_run_q[4];  // four bytes or fewer in all
  assign crc_in = a_data_q ^ {32'h0, crc_q};

  always_ff @(posedge clk) begin
    // After an end inside lanes 5..7 the state is kept one cycle for the comparison.
    if (a_valid_q && a_run_q[4]) crc_q <= crc_fold64(crc_in);
    else crc_q <= CRC_INIT;

    if (!a_valid_q || a_end) begin
      room_q  <= cfg_max_frame[13:3];
      words_q <= '0;
      cut_q   <= 1'b0;
    end else begin
      if (room_q != '0) room_q <= room_q - 11'd1;
      if (!words_q[3]) words_q <= words_q + 4'd1;
      if (a_over) cut_q <= 1'b1;
    end
    if (rst) begin
      crc_q   <= CRC_INIT;
      room_q  <= '0;
      words_q <= '0;
      cut_q   <= 1'b0;
    end
  end

  // ---- Stage C: the beat, and with the last one the result --------------------------------------
  // The FCS is right if the state, after the code_q (0..4) bytes of the next word or after the
  // zeros that filled this one (5..7), is the value that leads to the residue.
  logic o_valid_q, o_last_q, o_term_q, o_giant_q, o_runt_q, o_next_q, o_only_q;
  logic [63:0] o_data_q;
  logic [ 7:0] o_keep_q;
  logic [ 2:0] code_q;
  logic crc_ok, giant, bad;

  always_ff @(posedge clk) begin
    o_valid_q <= a_valid_q && a_run_q[4] && !cut_q;
    o_last_q  <= a_end || next_ends || a_over;
    o_next_q  <= !a_end && !a_over;  // the result needs the next word
    o_term_q  <= a_end ? a_term_q : end_ok;
    o_giant_q <= a_over;
    o_runt_q  <= !words_q[3] && !(!a_end && words_q == 4'd7);
    o_only_q  <= a_only;
    o_data_q  <= a_data_q;
    for (int j = 0; j < 4; j++) begin
      o_keep_q[j]   <= a_end ? a_run_q[j+4] : 1'b1;
      o_keep_q[j+4] <= !a_end && (!next_ends || data_run[j] || a_over);
    end
    if (a_end) code_q <= a_run_q[6] ? 3'd7 : a_run_q[5] ? 3'd6 : 3'd5;
    else
      code_q <= data_run[3] ? 3'd4 : data_run[2] ? 3'd3 : data_run[1] ? 3'd2 : {2'b00, data_run[0]};
    if (rst) begin
      o_valid_q <= 1'b0;
      o_only_q  <= 1'b0;
    end
  end

  always_comb begin
    logic [31:0] want;
    unique case (code_q)
      3'd0: want = CRC_RESIDUE;
      3'd1: want = crc_zeros(CRC_RESIDUE, -8);
      3'd2: want = crc_zeros(CRC_RESIDUE, -16);
      3'd3: want = crc_zeros(CRC_RESIDUE, -24);
      3'd4: want = crc_zeros(CRC_RESIDUE, -32);
      3'd5: want = crc_zeros(CRC_RESIDUE, 24);
      3'd6: want = crc_zeros(CRC_RESIDUE, 16);
      default: want = crc_zeros(CRC_RESIDUE, 8);
    endcase
    crc_ok = crc_in[31:0] == want;
    giant  = o_giant_q || (o_next_q && a_over);
    bad    = giant || o_runt_q || !o_term_q || !crc_ok;
  end

  // ---- Client side ------------------------------------------------------------------------------
  logic lost_q;  // a beat of the current frame has been lost
  logic lost_now;

  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign lost_now = m_axis.tvalid && !m_axis.tready;

  if (OUT_REG) begin : gen_out_reg
    logic user_q, last_q;
    always_ff @(posedge clk) begin
      m_axis.tvalid <= o_valid_q;
      m_axis.tdata  <= o_data_q;
      m_axis.tkeep  <= o_keep_q;
      last_q        <= o_last_q;
      user_q        <= bad;
      if (rst) m_axis.tvalid <= 1'b0;
    end
    assign m_axis.tlast = last_q;
    always_comb begin
      m_axis.tuser    = '0;
      m_axis.tuser[0] = last_q && (user_q || lost_q);
    end
  end else begin : gen_out_direct
    assign m_axis.tvalid = o_valid_q;
    assign m_axis.tdata  = o_data_q;
    assign m_axis.tkeep  = o_keep_q;
    assign m_axis.tlast  = o_last_q;
    always_comb begin
      m_axis.tuser    = '0;
      m_axis.tuser[0] = o_last_q && (bad || lost_q);
    end
  end

  always_ff @(posedge clk) begin
    if (lost_now) lost_q <= 1'b1;
    else if (m_axis.tvalid && m_axis.tlast) lost_q <= 1'b0;
    if (rst) lost_q <= 1'b0;
  end

  // ---- Events: one per frame, the first that applies in this order ------------------------------
  logic done;
  assign done = o_valid_q && o_last_q;

  always_ff @(posedge clk) begin
    ev.overrun      <= lost_now;
    ev.bad_preamble <= (start0 && !start0_ok) || (start4_q && !start4_ok);
    ev.giant        <= done && giant;
    ev.err_char     <= done && !giant && !o_term_q;
    ev.runt         <= (done && !giant && o_term_q && o_runt_q) || o_only_q;
    ev.bad_fcs      <= done && !giant && o_term_q && !o_runt_q && !crc_ok;
    ev.ok           <= done && !bad;
    if (rst) ev <= '0;
  end

endmodule
