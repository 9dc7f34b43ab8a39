// SPDX-License-Identifier: Apache-2.0
//
// Transmit half of a 10 Gb/s Ethernet MAC on 64-bit XGMII (IEEE 802.3 clauses 3, 4 and 46): adds
// preamble, start-of-frame delimiter, padding to 64 bytes, FCS, terminate, and a gap of 12 bytes
// with deficit idle count (46.3.1.4); frames start in lane 0 or 4.
//
// s_axis: frames from the destination address on, without FCS. Beats of a frame must follow without
//   a pause (put a frame FIFO before the MAC if the source may stall). Between frames tready is low
//   for two or three cycles, plus one per beat of padding.
// Faults: while local_fault is high remote fault ordered sets are sent, while remote_fault is high
//   idles; client frames are discarded and counted (46.3.4).
// Latency: 2 cycles from the first beat to the start column, 3 to its data. One beat per cycle.
// Bad input: a pause inside a frame (underrun), or tuser[0] with tlast, ends the frame on the wire
//   with /E/ and /T/, so that every receiver rejects it, and raises an event. After an underrun the
//   rest of the client's frame is discarded. tkeep of a beat that is not the last counts as all
//   ones.
module kumi_mac_xgmii_tx
  import kumi_eth_pkg::*;
  import kumi_mac_pkg::*;
  import kumi_xgmii_pkg::*;
#(
    parameter bit DIC = 1  // deficit idle count: gap of 12 bytes on average; 0: at least 12
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,

    output logic [63:0] xgmii_txd,
    output logic [ 7:0] xgmii_txc,

    input logic local_fault,  // the receiver sees a local fault: answer with remote fault
    input logic remote_fault, // the link partner reports a fault: send idles

    output mac_tx_events_t ev
);

  if (s_axis.DATA_W != 64) begin : gen_check_width
    $fatal(0, "s_axis must be 64 bits wide (%m)");
  end

  // ---- Stage 0: selection of the next pipeline slot ---------------------------------------------
  typedef enum logic [2:0] {
    ST_IDLE,  // next beat begins a frame
    ST_DATA,  // inside a frame
    ST_PAD,   // client's bytes are over, fewer than 60 of them
    ST_GAP,   // second tail word, idles and the slot of the start word
    ST_DROP   // rest of an underrun frame
  } mac_xgmii_tx_state_e;

  mac_xgmii_tx_state_e state_q, state_d;
  logic [3:0] beat_q;  // beats of this frame so far, saturates at 8
  logic [1:0] gap_q;  // slots of the gap so far
  logic [7:0] keep;
  logic [2:0] keep_n;
  logic       push;  // a word of frame goes in
  logic push_first, push_last, push_err;
  logic underrun, client_bad;
  logic [2:0] push_n;  // valid bytes of the last word; 0 is eight
  logic long_gap_q;

  // Slot registers of stages 1 and 2.
  logic data0_q, last0_q, err0_q, tail0_q;
  logic half0_q;  // the last word has four bytes or fewer
  logic [63:0] d0_q, d1_q;
  logic [2:0] n0_q;
  logic off0_q, off1_q, off_next_q;

  assign s_axis.tready = (state_q == ST_IDLE) || (state_q == ST_DATA) || (state_q == ST_DROP);

  always_comb begin
    keep = s_axis.tlast ? s_axis.tkeep : '1;
    if (state_q == ST_PAD) keep = '0;
    keep_n[2] = keep[3] && !keep[7];
    keep_n[1] = (keep[1] && !keep[3]) || (keep[5] && !keep[7]);
    keep_n[0]  = (!keep[1]) || (keep[2] && !keep[3]) || (keep[4] && !keep[5])
        || (keep[6] && !keep[7]);

    state_d = state_q;
    push = 1'b0;
    push_first = 1'b0;
    push_last = 1'b0;
    push_err = 1'b0;
    push_n = keep_n;
    underrun = 1'b0;
    client_bad = 1'b0;
    unique case (state_q)
      ST_IDLE, ST_DATA: begin
        push_first = (state_q == ST_IDLE) && s_axis.tvalid;
        push       = s_axis.tvalid;
        if (s_axis.tvalid) begin
          state_d = ST_DATA;
          if (s_axis.tlast && s_axis.tuser[0]) begin
            push_last  = 1'b1;
            push_err   = 1'b1;
            push_n     = 3'd0;
            client_bad = 1'b1;
            state_d    = ST_GAP;
          end else if (s_axis.tlast && beat_q < 4'd7) begin
            state_d = ST_PAD;
          end else if (s_axis.tlast) begin
            push_last = 1'b1;
            if (!beat_q[3] && !keep[3]) push_n = 3'd4;
            state_d = ST_GAP;
          end
        end else if (state_q == ST_DATA) begin
          push      = 1'b1;
          push_last = 1'b1;
          push_err  = 1'b1;
          push_n    = 3'd0;
          underrun  = 1'b1;
          state_d   = ST_DROP;
        end
      end
      ST_PAD: begin
        push = 1'b1;
        if (beat_q == 4'd7) begin
          push_last = 1'b1;
          push_n    = 3'd4;
          state_d   = ST_GAP;
        end
      end
      ST_GAP:  if (gap_q[1] || (gap_q[0] && !long_gap_q)) state_d = ST_IDLE;
      ST_DROP: if (s_axis.tvalid && s_axis.tlast) state_d = ST_GAP;
      default: state_d = ST_IDLE;
    endcase
  end

  // ---- The gap. The tail holds FCS and terminate; after it the next start comes 1, 2 or 3 half
  // words later. Half a word more or less moves the start to the other lane.
  logic [1:0] deficit_q, deficit_d;
  logic carry;
  logic [2:0] halves;
  logic two_words;

  always_comb begin
    if (DIC) {carry, deficit_d} = 3'(deficit_q) + 3'(n0_q[1:0]);
    else {carry, deficit_d} = {n0_q[1:0] != 2'd0, 2'd0};
    halves = 3'd1 + 3'(!n0_q[2]) + 3'(carry) + 3'(off0_q);
    two_words = n0_q[2] || (n0_q == 3'd0);
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (push) beat_q <= beat_q[3] ? beat_q : beat_q + 4'd1;
    else beat_q <= '0;
    gap_q <= (state_q == ST_GAP) ? gap_q + 2'd1 : '0;
    if (state_q == ST_GAP && gap_q == 2'd0) begin
      deficit_q  <= deficit_d;
      off_next_q <= halves[0];
      long_gap_q <= two_words ? (halves >= 3'd2) : (halves == 3'd4);
    end else if (state_q == ST_IDLE && !push) begin
      off_next_q <= 1'b0;
    end
    if (rst) begin
      state_q    <= ST_IDLE;
      beat_q     <= '0;
      gap_q      <= '0;
      deficit_q  <= '0;
      off_next_q <= 1'b0;
      long_gap_q <= 1'b0;
    end
  end

  // ---- Stage 1: the word, and the FCS up to and with it -----------------------------------------
  logic [31:0] crc_q;
  logic [63:0] crc_in;

  always_ff @(posedge clk) begin
    for (int j = 0; j < 8; j++) d0_q[8*j+:8] <= keep[j] ? s_axis.tdata[8*j+:8] : 8'h00;
    data0_q <= push;
    last0_q <= push_last;
    half0_q <= push_last && (push_n == 3'd4 || (!push_n[2] && push_n != 3'd0));
    tail0_q <= data0_q && last0_q && two_words;
    if (push) begin
      n0_q   <= push_n;
      err0_q <= push_err;
    end
    if (push_first) off0_q <= off_next_q;
    if (rst) begin
      data0_q <= 1'b0;
      last0_q <= 1'b0;
      tail0_q <= 1'b0;
      n0_q    <= '0;
      err0_q  <= 1'b0;
      off0_q  <= 1'b0;
    end
  end

  // Of the last word the first or the second half is worked off, filled up with zeros to four or
  // eight bytes; the zeros are taken back in stage 3.
  always_comb begin
    crc_in = d0_q ^ {32'h0, crc_q};
    if (half0_q) crc_in = {crc_in[31:0], 32'h0};
  end

  always_ff @(posedge clk) begin
    if (data0_q) crc_q <= crc_fold64(crc_in);
    else if (!tail0_q) crc_q <= CRC_INIT;
    if (rst) crc_q <= CRC_INIT;
  end

  // ---- Stage 2: data and constants by lane; FCS bytes are inserted after this register ----------
  logic [63:0] d1_d;
  logic [7:0] ctl1_d, ctl1_q;
  logic [7:0] fcs1_d, fcs1_q;  // this lane takes a byte of FCS
  logic [1:0] rot1_q;
  logic fault;
  logic mute, mute_q;  // drop the frame: the link is or was faulty during it

  assign fault = local_fault || remote_fault;
  assign mute  = fault || (mute_q && !push_first);

  always_ff @(posedge clk) begin
    mute_q <= mute;
    if (rst) mute_q <= 1'b0;
  end

  always_comb begin
    for (int j = 0; j < 8; j++) begin
      automatic logic [4:0] k;  // position after the client's last byte, 0..3 FCS, 4 terminate
      automatic logic after;
      k = 5'(j) - {2'b00, n0_q} - {1'b0, n0_q == 3'd0, 3'b000} + {1'b0, tail0_q, 3'b000};
      after = tail0_q || (data0_q && last0_q && !k[4]);
      d1_d[8*j+:8] = XGMII_IDLE;
      ctl1_d[j] = 1'b1;
      fcs1_d[j] = 1'b0;
      if (mute) begin
        if (local_fault) begin
          d1_d[8*j+:8] = (j % 4 == 0) ? XGMII_SEQ : (j % 4 == 3) ? 8'h02 : 8'h00;
          ctl1_d[j] = (j % 4 == 0);
        end
      end else if (push_first) begin
        d1_d[8*j+:8] = (j == 0) ? XGMII_START : (j == 7) ? SFD : PREAMBLE;
        ctl1_d[j] = (j == 0);
      end else if (err0_q && (data0_q || (tail0_q && j < 4))) begin
        d1_d[8*j+:8] = XGMII_ERROR;
      end else if (data0_q && !after) begin
        d1_d[8*j+:8] = d0_q[8*j+:8];
        ctl1_d[j] = 1'b0;
      end else if (after && k < 5'd4) begin
        fcs1_d[j] = 1'b1;
        ctl1_d[j] = 1'b0;
      end else if (after && k == 5'd4) begin
        d1_d[8*j+:8] = XGMII_TERM;
      end
    end
  end

  always_ff @(posedge clk) begin
    d1_q   <= d1_d;
    rot1_q <= n0_q[1:0];
    ctl1_q <= ctl1_d;
    fcs1_q <= fcs1_d;
    off1_q <= mute ? 1'b0 : push_first ? off_next_q : off0_q;
    if (rst) begin
      ctl1_q <= '1;
      d1_q   <= {8{XGMII_IDLE}};
      fcs1_q <= '0;
      off1_q <= 1'b0;
    end
  end

  // ---- Stage 3: FCS bytes, and half a word of delay for a start in lane 4 -----------------------
  logic [31:0] fcs;  // its bytes in their lanes
  logic [63:0] word;
  logic [31:0] hold_q;
  logic [ 3:0] hold_ctl_q;

  always_comb begin
    fcs = crc_fcs_lanes(crc_q, rot1_q);
    for (int j = 0; j < 8; j++) begin
      word[8*j+:8] = fcs1_q[j] ? fcs[8*(j%4)+:8] : d1_q[8*j+:8];
    end
  end

  always_ff @(posedge clk) begin
    hold_q     <= off1_q ? word[63:32] : {4{XGMII_IDLE}};
    hold_ctl_q <= off1_q ? ctl1_q[7:4] : '1;
    xgmii_txd  <= off1_q ? {word[31:0], hold_q} : word;
    xgmii_txc  <= off1_q ? {ctl1_q[3:0], hold_ctl_q} : ctl1_q;
    if (rst) begin
      hold_q     <= {4{XGMII_IDLE}};
      hold_ctl_q <= '1;
      xgmii_txd  <= {8{XGMII_IDLE}};
      xgmii_txc  <= '1;
    end
  end

  // ---- Events -----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev.underrun <= underrun && !mute;
    ev.bad      <= client_bad && !mute;
    ev.ok       <= push_last && !push_err && !mute;
    ev.fault    <= push_last && mute;
    if (rst) ev <= '0;
  end

endmodule
