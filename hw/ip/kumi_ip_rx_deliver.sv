// SPDX-License-Identifier: Apache-2.0
//
// The end of kumi_ip_rx: cuts the payload out of the beats of a frame whose headers and sums are
//   judged, and makes the record of its packet.
//
// beat, next: the beats of the frame, next the one after; go: it moves. bad, with last: the frame
//   proved bad. hdr_ok: its headers are right. chk, h, vlan_*: of this frame, stable in it.
// o_*, rec*: as in kumi_ip_rx, a register behind. free: both can take what go brings.
module kumi_ip_rx_deliver
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic         [  DATA_W-1:0]      beat,
    input  logic         [  DATA_W-1:0]      next,
    input  logic         [         2:0]      index,
    input  logic                             last,
    input  logic                             bad,
    input  logic                             go,
    input  logic                             hdr_ok,
    input  ip_rx_check_t                     chk,
    input  logic         [        41:0][7:0] h,
    input  logic                             vlan_valid,
    input  logic         [        15:0]      vlan_tci,
    output logic                             free,
    output logic         [  DATA_W-1:0]      o_data,
    output logic         [DATA_W/8-1:0]      o_keep,
    output logic                             o_valid,
    input  logic                             o_ready,
    output logic                             o_last,
    output logic                             o_bad,
    output ip_kind_e                         o_kind,
    output ip_rx_t                           rec,
    output logic                             rec_valid,
    input  logic                             rec_ready,
    output logic                             active
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  // Where the payload starts: beat and byte in it.
  localparam int UDP_BEAT = 42 / B;
  localparam int RAW_BEAT = 34 / B;
  localparam int UDP_OFF = 42 % B;
  localparam int RAW_OFF = 34 % B;

  logic started, first, move, emit, final_beat;
  logic pay_none, pay_none_q, pay_fits, pay_fits_q;  // as in chk, of what is left
  logic [15:0] pay_left, pay_left_q;
  logic [BW-1:0] rest;  // payload bytes in its last beat, 0: all
  logic pend_q, o_valid_q, rec_valid_q;
  logic [2*B-1:0][7:0] pair;
  ip_kind_e kind;

  assign pair = {next, beat};
  assign rest = chk.pay_len[BW-1:0];
  assign kind = chk.udp ? KIND_UDP : chk.icmp ? KIND_ICMP : KIND_RAW;

  assign started = 4'(index) + 4'd1 > (chk.udp ? 4'(UDP_BEAT) : 4'(RAW_BEAT));
  assign first = index == (chk.udp ? 3'(UDP_BEAT) : 3'(RAW_BEAT));
  assign pay_left = first ? chk.pay_len : pay_left_q;
  assign pay_none = first ? chk.pay_none : pay_none_q;
  assign pay_fits = first ? chk.pay_fits : pay_fits_q;
  assign final_beat = last || pay_fits;
  // Registers advance without waiting for the checks; a failed packet is never valid.
  assign move = go && started && !pay_none;
  assign emit = move && hdr_ok && !(first && bad);

  // ---- payload --------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    if (go && started) begin
      pay_left_q <= pay_left - 16'(B);
      pay_none_q <= pay_fits;
      pay_fits_q <= pay_fits || pay_left <= 16'(2 * B);
    end
    if (o_ready) o_valid_q <= 1'b0;
    if (move) begin
      for (int j = 0; j < B; j++) begin
        o_data[8*j+:8] <= chk.udp ? pair[j+UDP_OFF] : pair[j+RAW_OFF];
      end
      o_keep <= !pay_fits || rest == '0 ? '1 : ~({B{1'b1}} << rest);
      o_last <= final_beat;
      o_kind <= kind;
      o_bad  <= bad;
    end
    if (emit) begin
      o_valid_q <= !final_beat || last;
      pend_q    <= final_beat && !last;
    end else if (go && last && pend_q) begin
      // The padding after the last payload byte has ended.
      o_valid_q <= 1'b1;
      o_bad     <= bad;
      pend_q    <= 1'b0;
    end
    if (rst) begin
      o_valid_q <= 1'b0;
      pend_q    <= 1'b0;
    end
  end

  // ---- record ---------------------------------------------------------------------------------
  logic rec_load;
  assign rec_load = go && started && hdr_ok && !bad && (chk.pay_none ? last : first);

  always_ff @(posedge clk) begin
    if (rec_ready) rec_valid_q <= 1'b0;
    if (rec_load) rec_valid_q <= !chk.icmp;
    if (go && started && (first || chk.pay_none)) begin
      rec.kind       <= kind;
      rec.mac        <= {h[6], h[7], h[8], h[9], h[10], h[11]};
      rec.vlan_valid <= vlan_valid;
      rec.vlan_tci   <= vlan_tci;
      rec.ip         <= {h[26], h[27], h[28], h[29]};
      rec.proto      <= h[23];
      rec.ecn        <= h[15][1:0];
      rec.length     <= chk.pay_len;
      rec.src_port   <= {h[34], h[35]};
      rec.dst_port   <= {h[36], h[37]};
      rec.checksum   <= {h[40], h[41]};
    end
    if (rst) rec_valid_q <= 1'b0;
  end

  assign o_valid   = o_valid_q;
  assign rec_valid = rec_valid_q;
  assign free      = (!o_valid_q || o_ready) && (!rec_valid_q || rec_ready);
  assign active    = o_valid_q || rec_valid_q || pend_q;

  logic unused;
  assign unused = &{chk, h};
endmodule
