// SPDX-License-Identifier: Apache-2.0
//
// Receive half of a 1 Gb/s full-duplex Ethernet MAC on GMII (IEEE 802.3 clauses 3, 4 and 35): finds
// the start-of-frame delimiter, checks and strips the FCS.
//
// m_axis: frames from the destination address on, without FCS, one byte per beat. A line cannot
//   stall: a beat that meets a low tready is lost and counted, and its frame ends bad.
// Latency: 7 cycles from a byte on the line to its beat.
// Bad input: a frame with a wrong FCS, RX_ER inside, fewer than 64 or more than cfg_max_frame bytes
//   ends with tuser[0]; each frame raises exactly one event. A frame of four bytes or fewer, and a
//   preamble without delimiter, produces only its event. An oversized frame is truncated.
module kumi_mac_gmii_rx
  import kumi_eth_pkg::*;
  import kumi_mac_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic [7:0] gmii_rxd,
    input logic       gmii_rx_dv,
    input logic       gmii_rx_er,

    kumi_axis_if.src m_axis,

    input logic [13:0] cfg_max_frame,  // bytes with FCS, at least 64; constant while running

    output mac_rx_events_t ev
);

  if (m_axis.DATA_W != 8) begin : gen_check_width
    $fatal(0, "m_axis must be 8 bits wide (%m)");
  end

  typedef enum logic [1:0] {
    ST_IDLE,
    ST_PREAMBLE,
    ST_DATA,
    ST_SKIP       // until the line is idle
  } mac_gmii_rx_state_e;

  mac_gmii_rx_state_e state_q;
  logic [7:0] rxd_q;
  logic dv_q, er_q;
  logic [4:0][7:0] pipe_q;  // last five bytes of the frame; [4] is the oldest
  logic [13:0] count_q;  // bytes of the frame so far
  logic [31:0] crc_q;
  logic err_q, lost_q;
  logic stop, over, emit, bad, runt, crc_ok;
  logic preamble_bad, sfd;

  assign sfd = dv_q && !er_q && rxd_q == SFD && (state_q == ST_IDLE || state_q == ST_PREAMBLE);
  assign preamble_bad = (state_q == ST_IDLE && dv_q && !sfd && (er_q || rxd_q != PREAMBLE))
      || (state_q == ST_PREAMBLE && !sfd && (!dv_q || er_q || rxd_q != PREAMBLE));
  assign stop = state_q == ST_DATA && !dv_q;
  assign over = state_q == ST_DATA && dv_q && count_q == cfg_max_frame;
  assign emit = state_q == ST_DATA && count_q >= 14'd5;
  assign crc_ok = crc_q == CRC_RESIDUE;
  assign runt = count_q < 14'd64;
  assign bad = over || err_q || runt || !crc_ok;

  always_ff @(posedge clk) begin
    rxd_q <= gmii_rxd;
    dv_q  <= gmii_rx_dv;
    er_q  <= gmii_rx_er;

    unique case (state_q)
      ST_IDLE, ST_PREAMBLE: begin
        if (sfd) state_q <= ST_DATA;
        else if (preamble_bad) state_q <= dv_q ? ST_SKIP : ST_IDLE;
        else if (dv_q) state_q <= ST_PREAMBLE;
      end
      ST_DATA: begin
        if (stop) state_q <= ST_IDLE;
        else if (over) state_q <= ST_SKIP;
      end
      default: if (!dv_q) state_q <= ST_IDLE;
    endcase

    if (state_q != ST_DATA) begin
      count_q <= '0;
      crc_q   <= CRC_INIT;
      err_q   <= 1'b0;
    end else begin
      if (dv_q) begin
        count_q <= count_q + 14'd1;
        crc_q   <= crc_byte(crc_q, rxd_q);
        pipe_q  <= {pipe_q[3:0], rxd_q};
      end
      if (er_q && dv_q) err_q <= 1'b1;
    end

    m_axis.tvalid <= emit;
    m_axis.tdata  <= pipe_q[4];
    m_axis.tlast  <= stop || over;
    if (rst) begin
      state_q       <= ST_IDLE;
      dv_q          <= 1'b0;
      m_axis.tvalid <= 1'b0;
    end
  end

  // ---- Client side ------------------------------------------------------------------------------
  logic bad_q, lost_now;

  assign m_axis.tkeep = 1'b1;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
  assign lost_now     = m_axis.tvalid && !m_axis.tready;

  always_comb begin
    m_axis.tuser    = '0;
    m_axis.tuser[0] = m_axis.tlast && (bad_q || lost_q);
  end

  always_ff @(posedge clk) begin
    bad_q <= bad;
    if (lost_now) lost_q <= 1'b1;
    else if (m_axis.tvalid && m_axis.tlast) lost_q <= 1'b0;

    ev.ok           <= stop && !bad;
    ev.bad_fcs      <= stop && !err_q && !runt && !crc_ok;
    ev.err_char     <= stop && err_q && !runt;
    ev.runt         <= stop && runt;
    ev.giant        <= over;
    ev.bad_preamble <= preamble_bad;
    ev.overrun      <= lost_now;
    if (rst) begin
      lost_q <= 1'b0;
      ev     <= '0;
    end
  end

endmodule
