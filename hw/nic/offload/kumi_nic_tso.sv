// SPDX-License-Identifier: Apache-2.0
//
// TCP segmentation (VIRTIO_NET_F_HOST_TSO4, _TSO6, _ECN; virtio 1.2, 5.1.6.2): one long segment to
// many of gso_size bytes.
//
// s_axis: whole frames; tdest is nic_tx_offload_t, the same on all beats. s_len: bytes of each
//   frame.
// m_axis: frames; tdest is nic_tx_sum_t. A frame without segmentation passes.
// Each segment has the frame's headers with its own sequence number, IPv4 identification (one more
//   than the segment before), lengths and IPv4 header checksum (RFC 1624); CWR is in the first
//   only, FIN and PSH in the last only (RFC 9293 3.4, RFC 3168 6.1.2). The checksum field holds the
//   sum of the pseudo-header with the length of the long segment, as drivers leave it; it is
//   adjusted to the new one, and m_axis asks for the rest of the sum.
// Dropped, with a pulse on ev_drop: frames or segments of more than LONGEST bytes; with
//   segmentation: headers that do not end within 128 bytes, do not begin on a multiple of four
//   behind the Ethernet header, or are of another protocol than gso_type, no payload, gso_size 0, a
//   frame of one beat.
// Throughput: a beat a cycle, and for each segment a cycle for each beat of headers and one where a
//   beat belongs to two segments; 7 cycles for each frame that is segmented.
module kumi_nic_tso
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W  = 512,   // bits of the streams: 512, so that headers are in two beats
    parameter int LONGEST = 16384  // bytes of a frame that leaves, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_len,
    kumi_axis_if.src m_axis,
    output logic ev_drop
);
  localparam int WORDS = 31;  // of 32 bits behind the first two bytes of the headers

  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: headers are in two beats (%m)");
  end
  if (LONGEST < 2048 || LONGEST > 32768 || (LONGEST & (LONGEST - 1)) != 0) begin : gen_check_longest
    $fatal(0, "LONGEST must be a power of two, 2048..32768 (%m)");
  end
  if (s_len.W != 17) begin : gen_check_len
    $fatal(0, "s_len must have 17 bits (%m)");
  end

  typedef enum logic [3:0] {
    S_IDLE,
    S_PASS,
    S_SECOND,
    S_FIELDS,
    S_SIZES,
    S_CHECK,
    S_SKIP,
    S_HEAD,
    S_HEAD2,
    S_DATA,
    S_DROP
  } state_e;
  state_e state_q;

  function automatic logic [15:0] swapped(input logic [15:0] a);
    return {a[7:0], a[15:8]};
  endfunction
  // One's complement sum, to 16 bits in two steps.
  function automatic logic [16:0] folded(input logic [18:0] a);
    return 17'(a[15:0]) + 17'(a[18:16]);
  endfunction

  nic_tx_offload_t offload, off_q;
  assign offload = s_axis.tdest;

  // ---- the headers ---------------------------------------------------------------------------
  logic [15:0] front_q;  // bytes 0 and 1
  logic [WORDS-1:0][31:0] words_q;  // 4 bytes each, the first in bits 7:0
  logic [511:0] beat0_q;  // the frame's first beat, which may hold payload
  logic [4:0][31:0] tcp_q;
  logic [2:0][31:0] ip_q;
  logic [4:0] tcp_at_q;  // word
  logic vlan, vlan_q, v6_q, bad_q;
  logic [16:0] len_q, left_q;  // bytes; payload that no segment has
  logic [7:0] head_q;  // bytes of headers
  logic [6:0] head;
  logic [15:0] mss_q, tcp_old_q;
  logic [7:0] ip_head_q;  // bytes that the length of IP counts besides the payload
  logic [7:0] tcp_head_q;

  assign vlan = beat0_q[8*12+:16] == 16'h0081;

  logic [1023:0] both;
  assign both = {s_axis.tdata, beat0_q};

  // ---- segments ------------------------------------------------------------------------------
  // The next segment's fields are made in four cycles, while the one before is sent.
  logic [2:0] prep_q;
  logic ready_q, first_seg_q, last_q, prep_last_q;
  logic [16:0] reach_q;  // end of the segment, counted from the start of the beat it goes on in
  logic [15:0] prep_bytes_q, id_q;
  logic [31:0] seq_q;
  logic [15:0] ip_len_q, tcp_len_q;
  logic [18:0] ip_sum_q, tcp_sum_q;
  logic [16:0] ip_fold_q, tcp_fold_q;
  logic [15:0] ip_check, tcp_check;
  logic [7:0] flags;
  logic start_bad, size_bad;  // what the driver asks for cannot be done
  logic head_end, sent;  // the last beat of the headers; it has been sent

  assign ip_check  = ~(ip_fold_q[15:0] + 16'(ip_fold_q[16]));
  assign tcp_check = tcp_fold_q[15:0] + 16'(tcp_fold_q[16]);
  always_comb begin
    flags = tcp_q[3][15:8];
    if (!first_seg_q) flags[7] = 1'b0;
    if (!prep_last_q) flags &= 8'hf6;
  end

  logic [4:0] ip_at;
  assign ip_at = vlan_q ? 5'd4 : 5'd3;

  // ---- output --------------------------------------------------------------------------------
  logic out_valid, out_ready, out_start, out_flush, from_first_q, start_q;
  logic [511:0] out_data;
  logic [5:0] out_lo, lo_q;
  logic [6:0] out_count, seg_count, bytes;
  nic_tx_sum_t out_sum, m_sum;
  logic chunk_ends, seg_ends, m_first, m_user;
  logic [511:0] head_low, head_high;

  kumi_keep_to_count #(
      .KEEP_W(64)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(bytes)
  );

  assign head_low   = {words_q[15][15:0], words_q[14:0], front_q};
  assign head_high  = {16'd0, words_q[30:16], words_q[15][31:16]};
  assign chunk_ends = reach_q[16:6] != '0;
  assign seg_ends   = !chunk_ends || (reach_q[16:6] == 11'd1 && reach_q[5:0] == '0);
  assign seg_count  = (chunk_ends ? 7'd64 : reach_q[6:0]) - {1'b0, lo_q};

  always_comb begin
    out_valid = 1'b0;
    out_data  = s_axis.tdata;
    out_lo    = '0;
    out_count = bytes;
    out_start = start_q;
    out_flush = s_axis.tlast;
    unique case (state_q)
      S_PASS:  out_valid = s_axis.tvalid;
      S_HEAD: begin
        out_valid = ready_q;
        out_data  = head_low;
        out_count = head_q > 8'd64 ? 7'd64 : head_q[6:0];
        out_start = 1'b1;
        out_flush = 1'b0;
      end
      S_HEAD2: begin
        out_valid = 1'b1;
        out_data  = head_high;
        out_count = head;
        out_start = 1'b0;
        out_flush = 1'b0;
      end
      S_DATA: begin
        out_valid = from_first_q || s_axis.tvalid;
        out_data  = from_first_q ? beat0_q : s_axis.tdata;
        out_lo    = lo_q;
        out_count = seg_count;
        out_start = 1'b0;
        out_flush = seg_ends;
      end
      default: ;
    endcase
  end
  assign head = head_q[6:0] - 7'd64;
  assign start_bad = off_q.start[1:0] != 2'd2 || off_q.start[15:7] != '0 ||
      off_q.start[6:2] > 5'd26 || off_q.start[6:2] < 5'd8;
  assign size_bad = off_q.gso_size == '0 || off_q.gso_size[15] ||
      off_q.gso_size > 16'(LONGEST - 128);
  assign head_end = state_q == S_HEAD2 || (state_q == S_HEAD && head_q <= 8'd64);
  assign sent = out_valid && out_ready && head_end;
  assign out_sum = state_q == S_PASS ?
      '{needed: off_q.sum, start: off_q.start, offset: off_q.offset} :
      '{needed: 1'b1, start: off_q.start, offset: 16'd16};

  logic moves;
  assign moves = out_valid && out_ready;
  always_comb begin
    unique case (state_q)
      S_PASS: s_axis.tready = out_ready;
      S_DATA: s_axis.tready = !from_first_q && out_ready && (chunk_ends || (seg_ends && last_q));
      S_SKIP, S_DROP: s_axis.tready = 1'b1;
      default:
      s_axis.tready = state_q == S_IDLE && s_len.valid && offload.gso != '0 && !s_axis.tlast;
    endcase
  end
  // The length goes with the frame's last beat.
  assign s_len.ready = s_axis.tvalid && s_axis.tready && s_axis.tlast;

  always_ff @(posedge clk) begin
    if (rst) begin
      state_q <= S_IDLE;
      prep_q  <= '0;
      ready_q <= 1'b0;
      ev_drop <= 1'b0;
    end else begin
      ev_drop <= 1'b0;
      unique case (state_q)
        S_IDLE: begin
          off_q   <= offload;
          len_q   <= s_len.data;
          beat0_q <= s_axis.tdata;
          start_q <= 1'b1;
          if (s_axis.tvalid && s_len.valid) begin
            if (offload.gso == '0) state_q <= s_len.data > 17'(LONGEST) ? S_DROP : S_PASS;
            else state_q <= s_axis.tlast ? S_DROP : S_SECOND;
          end
        end
        S_PASS:
        if (moves) begin
          start_q <= 1'b0;
          if (s_axis.tlast) state_q <= S_IDLE;
        end
        S_SECOND: begin
          front_q <= both[15:0];
          words_q <= both[1007:16];
          vlan_q <= vlan;
          tcp_at_q <= off_q.start[6:2];
          v6_q <= off_q.gso[1];
          bad_q <= start_bad || size_bad || !off_q.sum;
          if (s_axis.tvalid) state_q <= S_FIELDS;
        end
        S_FIELDS: begin
          for (int i = 0; i < 5; ++i) begin
            tcp_q[i] <= '0;
            for (int k = 8; k < 27; ++k) if (tcp_at_q == 5'(k)) tcp_q[i] <= words_q[k+i];
          end
          for (int i = 0; i < 3; ++i) ip_q[i] <= vlan_q ? words_q[4+i] : words_q[3+i];
          tcp_old_q <= 16'(len_q - 17'(off_q.start));
          state_q   <= S_SIZES;
        end
        S_SIZES: begin
          tcp_head_q <= {2'd0, tcp_q[3][7:4], 2'd0};
          head_q <= 8'(off_q.start[6:0]) + {2'd0, tcp_q[3][7:4], 2'd0};
          mss_q <= off_q.gso_size;
          bad_q <= bad_q || tcp_q[3][7:4] < 4'd5 || ip_q[0][7:4] != (v6_q ? 4'd6 : 4'd4);
          state_q <= S_CHECK;
        end
        S_CHECK: begin
          left_q <= len_q - 17'(head_q);
          seq_q <= {tcp_q[1][7:0], tcp_q[1][15:8], tcp_q[1][23:16], tcp_q[1][31:24]};
          id_q <= swapped(ip_q[1][15:0]);
          ip_head_q <= head_q - (vlan_q ? 8'd18 : 8'd14) - (v6_q ? 8'd40 : 8'd0);
          first_seg_q <= 1'b1;
          from_first_q <= head_q < 8'd64;
          lo_q <= head_q[5:0];
          state_q <= bad_q || head_q > 8'd128 || 17'(head_q) >= len_q ? S_DROP :
              head_q == 8'd128 ? S_SKIP : S_HEAD;
          prep_q <= bad_q || head_q > 8'd128 || 17'(head_q) >= len_q ? '0 : 3'd1;
        end
        // Headers that end with the second beat: the payload begins with the third.
        S_SKIP:  if (s_axis.tvalid) state_q <= S_HEAD;
        S_HEAD:
        if (moves) begin
          last_q <= prep_last_q;
          reach_q <= 17'(prep_bytes_q) + 17'(lo_q);
          first_seg_q <= 1'b0;
          ready_q <= 1'b0;
          state_q <= head_q > 8'd64 ? S_HEAD2 : S_DATA;
        end
        S_HEAD2: if (moves) state_q <= S_DATA;
        S_DATA:
        if (moves) begin
          lo_q <= chunk_ends ? '0 : reach_q[5:0];
          reach_q <= reach_q - 17'd64;
          if (chunk_ends) from_first_q <= 1'b0;
          if (seg_ends) state_q <= last_q ? S_IDLE : S_HEAD;
        end
        default:
        if (s_axis.tvalid && s_axis.tlast) begin
          ev_drop <= 1'b1;
          state_q <= S_IDLE;
        end
      endcase

      // The next segment: its bytes, its lengths, its sums, the words of its headers.
      unique case (prep_q)
        3'd1: begin
          prep_last_q <= left_q <= 17'(mss_q);
          prep_bytes_q <= left_q <= 17'(mss_q) ? left_q[15:0] : mss_q;
          prep_q <= 3'd2;
        end
        3'd2: begin
          left_q <= left_q - 17'(prep_bytes_q);
          ip_len_q <= 16'(ip_head_q) + prep_bytes_q;
          tcp_len_q <= 16'(tcp_head_q) + prep_bytes_q;
          prep_q <= 3'd3;
        end
        3'd3: begin
          ip_sum_q <= 19'(16'(~swapped(
              ip_q[2][31:16]
          ))) + 19'(16'(~swapped(
              ip_q[0][31:16]
          ))) + 19'(ip_len_q) + 19'(16'(~swapped(
              ip_q[1][15:0]
          ))) + 19'(id_q);
          tcp_sum_q <= 19'(swapped(tcp_q[4][15:0])) + 19'(16'(~tcp_old_q)) + 19'(tcp_len_q);
          prep_q <= 3'd4;
        end
        3'd4: begin
          ip_fold_q <= folded(ip_sum_q);
          tcp_fold_q <= folded(tcp_sum_q);
          prep_q <= 3'd5;
        end
        3'd5: begin
          for (int k = 3; k < WORDS; ++k) begin
            if (!v6_q) begin
              if (5'(k) == ip_at) words_q[k][31:16] <= swapped(ip_len_q);
              if (5'(k) == ip_at + 5'd1) words_q[k][15:0] <= swapped(id_q);
              if (5'(k) == ip_at + 5'd2) words_q[k][31:16] <= swapped(ip_check);
            end else if (5'(k) == ip_at + 5'd1) begin
              words_q[k][15:0] <= swapped(ip_len_q);
            end
            if (5'(k) == tcp_at_q + 5'd1) begin
              words_q[k] <= {seq_q[7:0], seq_q[15:8], seq_q[23:16], seq_q[31:24]};
            end
            if (5'(k) == tcp_at_q + 5'd3) words_q[k][15:8] <= flags;
            if (5'(k) == tcp_at_q + 5'd4) words_q[k][15:0] <= swapped(tcp_check);
          end
          seq_q <= seq_q + 32'(prep_bytes_q);
          id_q <= id_q + 1'b1;
          ready_q <= 1'b1;
          prep_q <= '0;
        end
        default: if (sent && !(state_q == S_HEAD ? prep_last_q : last_q)) prep_q <= 3'd1;
      endcase
    end
  end

  // ---- to frames -----------------------------------------------------------------------------
  kumi_byte_realign #(
      .DATA_W(512),
      .TAG_W ($bits(nic_tx_sum_t)),
      .PIPE  (1'b1)
  ) u_realign (
      .clk,
      .rst,
      .s_data(out_data),
      .s_lo(out_lo),
      .s_count(out_count),
      .s_start(out_start),
      .s_lane('0),
      .s_tag(out_sum),
      .s_flush(out_flush),
      .s_user(1'b0),
      .s_valid(out_valid),
      .s_ready(out_ready),
      .m_data(m_axis.tdata),
      .m_keep(m_axis.tkeep),
      .m_first,
      .m_last(m_axis.tlast),
      .m_tag(m_sum),
      .m_user,
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = m_sum;

  logic unused;
  assign unused = ^{m_first, m_user, tcp_q, ip_q, both[1023:1008], s_axis.tuser, s_axis.tid};
endmodule
