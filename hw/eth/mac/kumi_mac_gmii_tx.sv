// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of a 1 Gb/s full-duplex Ethernet MAC on GMII (IEEE 802.3 clauses 3, 4 and 35): adds
// preamble, start-of-frame delimiter, padding to 64 bytes, FCS and a gap of 12 bytes.
//
// s_axis: frames from the destination address on, without FCS, one byte per beat. Beats of a frame
//   must follow without a pause (put a frame FIFO before the MAC if the source may stall).
// Latency: 1 cycle from the first beat offered to the preamble, 9 to its byte. One byte per cycle.
// Bad input: a pause inside a frame (underrun), or tuser[0] with tlast, ends the frame on the wire
//   with TX_ER and no FCS; after an underrun the rest of the client's frame is discarded.
module kumi_mac_gmii_tx
  import kumi_eth_pkg::*;
  import kumi_mac_pkg::*;
(
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,

    output logic [7:0] gmii_txd,
    output logic       gmii_tx_en,
    output logic       gmii_tx_er,

    output mac_tx_events_t ev
);

  if (s_axis.DATA_W != 8) begin : gen_check_width
    $fatal(0, "s_axis must be 8 bits wide (%m)");
  end

  typedef enum logic [2:0] {
    ST_IDLE,
    ST_PREAMBLE,
    ST_DATA,
    ST_PAD,
    ST_FCS,
    ST_ERROR,     // one byte with TX_ER
    ST_GAP
  } mac_gmii_tx_state_e;

  mac_gmii_tx_state_e state_q, state_d;
  logic [5:0] count_q;  // bytes in this state; in ST_DATA and ST_PAD of the frame, saturates at 60
  logic [31:0] crc_q;
  logic drop_q;  // discarding the rest of an underrun frame
  logic [7:0] data;
  logic crc_en, tx_en, tx_er;
  logic underrun, client_bad;

  assign s_axis.tready = (state_q == ST_DATA) || drop_q;

  always_comb begin
    state_d    = state_q;
    data       = 8'h00;
    tx_en      = 1'b1;
    tx_er      = 1'b0;
    crc_en     = 1'b0;
    underrun   = 1'b0;
    client_bad = 1'b0;
    unique case (state_q)
      ST_IDLE: begin
        tx_en = 1'b0;
        if (s_axis.tvalid && !drop_q) begin
          tx_en   = 1'b1;
          data    = PREAMBLE;
          state_d = ST_PREAMBLE;
        end
      end
      ST_PREAMBLE: begin
        data = PREAMBLE;
        if (count_q == 6'd6) begin
          data    = SFD;
          state_d = ST_DATA;
        end
      end
      ST_DATA: begin
        data   = s_axis.tdata;
        crc_en = 1'b1;
        if (!s_axis.tvalid) begin
          tx_er    = 1'b1;
          underrun = 1'b1;
          state_d  = ST_ERROR;
        end else if (s_axis.tlast && s_axis.tuser[0]) begin
          client_bad = 1'b1;
          state_d    = ST_ERROR;
        end else if (s_axis.tlast) begin
          state_d = (count_q < 6'd59) ? ST_PAD : ST_FCS;
        end
      end
      ST_PAD: begin
        crc_en = 1'b1;
        if (count_q == 6'd59) state_d = ST_FCS;
      end
      ST_FCS: begin
        data = ~crc_q[7:0];
        if (count_q == 6'd3) state_d = ST_GAP;
      end
      ST_ERROR: begin
        tx_er   = 1'b1;
        state_d = ST_GAP;
      end
      ST_GAP: begin
        tx_en = 1'b0;
        // With the idle cycle in which the next frame is seen: twelve.
        if (count_q == 6'd11) state_d = ST_IDLE;
      end
      default: state_d = ST_IDLE;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_d != state_q && !(state_q == ST_DATA && state_d == ST_PAD)) count_q <= '0;
    else if (count_q != 6'd60) count_q <= count_q + 6'd1;

    if (state_q == ST_FCS) crc_q <= {8'h00, crc_q[31:8]};
    else if (crc_en) crc_q <= crc_byte(crc_q, data);
    else crc_q <= CRC_INIT;

    if (underrun) drop_q <= 1'b1;
    else if (s_axis.tvalid && s_axis.tlast) drop_q <= 1'b0;

    gmii_txd    <= data;
    gmii_tx_en  <= tx_en;
    gmii_tx_er  <= tx_er;

    ev.ok       <= (state_q == ST_FCS) && (count_q == 6'd3);
    ev.underrun <= underrun;
    ev.bad      <= client_bad;
    ev.fault    <= 1'b0;
    if (rst) begin
      state_q    <= ST_IDLE;
      count_q    <= '0;
      drop_q     <= 1'b0;
      gmii_tx_en <= 1'b0;
      gmii_tx_er <= 1'b0;
      ev         <= '0;
    end
  end

endmodule
