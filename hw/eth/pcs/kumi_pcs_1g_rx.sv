// SPDX-License-Identifier: Apache-2.0
//
// Receive side of the 1000BASE-X PCS: 10-bit code groups to GMII (IEEE 802.3 clause 36, figures
// 36-7 and 36-9), without auto-negotiation (clause 37).
//
// One code group in and one GMII cycle out per cycle; bit 0 of rx_code is first on the wire. The
//   SerDes must align code groups to the comma.
// Latency: 5 cycles.
// Bad input: a code group that is invalid, of wrong disparity, or special in place of data becomes
//   RX_ER inside the frame; a comma inside a frame, or loss of synchronisation, ends it with RX_ER.
//   Outside frames everything but start is ignored. Configuration ordered sets count as idle.
module kumi_pcs_1g_rx
  import kumi_eth_pkg::*;
  import kumi_8b10b_pkg::*;
(
    input logic clk,
    input logic rst,

    input logic [9:0] rx_code,

    output logic [7:0] gmii_rxd,
    output logic       gmii_rx_dv,
    output logic       gmii_rx_er,

    output logic        sync,  // link is up
    output pcs_events_t ev
);

  // ---- Decode, and two code groups of look-ahead ------------------------------------------------
  typedef struct packed {
    logic       bad;
    logic       k;
    logic [7:0] data;
  } group_t;

  logic [9:0] code_q;
  logic rd_q, even, lock_lost;
  decoded_t dec;
  group_t now, next_q, next2_q, cur_q;  // now, then from young to old

  assign dec = decode(code_q);
  assign now = '{
          bad: !dec.valid || encode(dec.data, dec.k, rd_q) != code_q,
          k: dec.k,
          data: dec.data
      };

  always_ff @(posedge clk) begin
    code_q  <= rx_code;
    rd_q    <= rd_behind(code_q, rd_q);
    next2_q <= now;
    next_q  <= next2_q;
    cur_q   <= next_q;
    if (rst) rd_q <= 1'b0;
  end

  kumi_pcs_1g_sync sync_machine (
      .clk,
      .rst,
      .comma(!now.bad && now.k && (now.data == 8'hBC || now.data == 8'h3C || now.data == 8'hFC)),
      .data (!now.bad && !now.k),
      .bad  (now.bad),
      .sync,
      .even,
      .lock_lost
  );

  // ---- Frames -----------------------------------------------------------------------------------
  logic in_frame_q, is_start, is_comma, is_end;

  assign is_start = !cur_q.bad && cur_q.k && cur_q.data == K27_7;
  assign is_comma = !cur_q.bad && cur_q.k && cur_q.data == K28_5;
  // /T/ followed by /R/, and then idle or another /R/.
  assign is_end = !cur_q.bad && cur_q.k && cur_q.data == K29_7
      && !next_q.bad && next_q.k && next_q.data == K23_7
      && !next2_q.bad && next2_q.k && (next2_q.data == K23_7 || next2_q.data == K28_5);

  always_ff @(posedge clk) begin
    gmii_rxd   <= cur_q.data;
    gmii_rx_dv <= 1'b0;
    gmii_rx_er <= 1'b0;
    if (!in_frame_q) begin
      if (is_start && sync) begin
        in_frame_q <= 1'b1;
        gmii_rx_dv <= 1'b1;
        gmii_rxd   <= 8'h55;
      end
    end else if (is_end) begin
      in_frame_q <= 1'b0;
    end else begin
      gmii_rx_dv <= 1'b1;
      gmii_rx_er <= cur_q.bad || cur_q.k || !sync;
      if (is_comma || !sync) in_frame_q <= 1'b0;
    end
    ev.bad_block  <= now.bad && sync;
    ev.bad_header <= 1'b0;
    ev.lock_lost  <= lock_lost;
    if (rst) begin
      in_frame_q <= 1'b0;
      gmii_rx_dv <= 1'b0;
      gmii_rx_er <= 1'b0;
      ev         <= '0;
    end
  end

  logic unused;
  assign unused = even;

endmodule
