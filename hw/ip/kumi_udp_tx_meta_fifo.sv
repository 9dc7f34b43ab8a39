// SPDX-License-Identifier: Apache-2.0
//
// Records of kumi_udp_tx from 128 bits up: queued, with checksums in pipelines of their own, so one
//   datagram per cycle can be summed.
//
// hdr_*: records in. pay_*: observes the payload: a beat counts with pay_valid and pay_open. rec_*:
//   record out, with its checksum; discard: do not send. Latency 2 cycles, with a checksum 4 +
//   STAGES from the last payload beat. 16 records are queued.
module kumi_udp_tx_meta_fifo
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 128,   // bits of a beat
    parameter int FIFO_BYTES = 16384  // payload bytes that can be buffered
) (
    input  logic                    clk,
    input  logic                    rst,
    input  ip_cfg_t                 cfg,
    input  udp_hdr_t                hdr,
    input  logic                    hdr_valid,
    output logic                    hdr_ready,
    input  logic     [  DATA_W-1:0] pay_data,
    input  logic     [DATA_W/8-1:0] pay_keep,
    input  logic                    pay_valid,
    input  logic                    pay_last,
    input  logic                    pay_bad,
    output logic                    pay_open,
    output udp_hdr_t                rec,
    output logic                    discard,
    output logic                    rec_valid,
    input  logic                    rec_ready
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  localparam int STAGES = B < 64 ? 3 : 4;  // of kumi_ip_checksum
  localparam int DEPTH = 16;

  if (B < 16) begin : gen_check_w
    $fatal(0, "DATA_W must be 128 or more (%m)");
  end

  // ---- record of the present payload ----------------------------------------------------------
  udp_hdr_t cur_q, cur;
  logic pay_q;  // payload of cur_q is incomplete
  logic gen_q;  // its checksum is requested
  logic first_q;  // no beat received yet
  logic [15-BW:0] beats_q, beats;  // payload beats expected after this one
  logic none_q, none;  // there are none
  logic fits, gen_new, zero_new, gen_now, room;
  logic hdr_take, pay_new, take, over, sum_end;

  // No longer than a power of two: no carry chain is needed to see that.
  function automatic logic at_most(input logic [15:0] length, input int power);
    return length >> $clog2(power) == '0 || 17'(length) == 17'(power);
  endfunction

  assign fits      = at_most(hdr.length, FIFO_BYTES);
  assign gen_new   = hdr.cks == CKS_GENERATE && fits;
  assign zero_new  = hdr.cks == CKS_GENERATE && hdr.length == '0;
  // A datagram without payload is summed in the cycle in which it arrives.
  assign hdr_ready = room && (!pay_q || (pay_valid && pay_last && !zero_new));
  assign hdr_take  = hdr_valid && hdr_ready;
  assign pay_new   = !pay_q && hdr_take && hdr.length != '0;
  assign pay_open  = pay_q || pay_new;
  assign take      = pay_valid && pay_open;

  assign cur       = pay_q ? cur_q : hdr;
  assign gen_now   = pay_q ? gen_q : gen_new;
  assign beats     = pay_q ? beats_q : (16 - BW)'((hdr.length - 1'b1) >> BW);
  assign none      = pay_q ? none_q : at_most(hdr.length, B);
  assign over      = gen_now && take && !pay_last && none;
  assign sum_end   = (gen_now && take && pay_last) || (hdr_take && zero_new);

  always_ff @(posedge clk) begin
    if (take) begin
      first_q <= 1'b0;
      beats_q <= beats - 1'b1;
      none_q  <= pay_q ? beats_q == (16 - BW)'(1) : at_most(hdr.length, 2 * B);
      if (over) gen_q <= 1'b0;
      if (pay_last) pay_q <= 1'b0;
    end
    if (hdr_take) begin
      cur_q   <= hdr;
      // If its first beat is accepted as well, that beat is already counted.
      pay_q   <= hdr.length != '0 && !(pay_new && pay_valid && pay_last);
      gen_q   <= gen_new && !(pay_new && over);
      first_q <= !(pay_new && pay_valid);
      if (!(pay_new && pay_valid)) begin
        beats_q <= (16 - BW)'((hdr.length - 1'b1) >> BW);
        none_q  <= at_most(hdr.length, B);
      end
    end
    if (rst) pay_q <= 1'b0;
  end

  // ---- sum of the payload ---------------------------------------------------------------------
  logic [B-1:0][7:0] sum_data;
  logic [31:0] total;
  logic unused_zero;

  for (genvar j = 0; j < B; j++) begin : gen_sum_byte
    assign sum_data[j] = take && pay_keep[j] ? pay_data[8*j+:8] : 8'h00;
  end

  kumi_ip_checksum #(
      .DATA_W(DATA_W),
      .STAGES(STAGES),
      .INIT  (33)       // protocol, and twice the 8 bytes of the UDP header
  ) u_sum (
      .clk,
      .rst,
      .en   (1'b1),
      .valid(take || (hdr_take && zero_new)),
      .first(!pay_q || first_q),
      .data (sum_data),
      .total,
      .zero (unused_zero)
  );

  // ---- sum of addresses, ports and twice the length, in parallel ------------------------------
  logic [3:0][16:0] pre1_q;
  logic [1:0][17:0] pre2_q;
  logic [STAGES:3][18:0] pre_q;
  logic [STAGES+1:1] end_q, drop_q;  // ends of datagrams in the pipeline; datagrams to discard
  logic [19:0] sum_q;
  logic [16:0] fold;
  logic [15:0] cks;

  always_ff @(posedge clk) begin
    pre1_q[0] <= {1'b0, cur.peer_ip[31:16]} + {1'b0, cur.peer_ip[15:0]};
    pre1_q[1] <= {1'b0, cfg.ip[31:16]} + {1'b0, cfg.ip[15:0]};
    pre1_q[2] <= {1'b0, cur.peer_port} + {1'b0, cur.local_port};
    pre1_q[3] <= {cur.length, 1'b0};
    pre2_q[0] <= {1'b0, pre1_q[0]} + {1'b0, pre1_q[1]};
    pre2_q[1] <= {1'b0, pre1_q[2]} + {1'b0, pre1_q[3]};
    pre_q[3]  <= {1'b0, pre2_q[0]} + {1'b0, pre2_q[1]};
    for (int i = 4; i <= STAGES; i++) pre_q[i] <= pre_q[i-1];
    sum_q  <= {4'd0, total[15:0]} + {4'd0, total[31:16]} + {1'b0, pre_q[STAGES]};
    end_q  <= (STAGES + 1)'({end_q, sum_end || over});
    drop_q <= (STAGES + 1)'({drop_q, over || (take && pay_bad)});
    if (rst) end_q <= '0;
  end

  assign fold = {1'b0, sum_q[15:0]} + {13'd0, sum_q[19:16]};
  // With a carry the low bits are less than what was added: a second one ends among them.
  assign cks  = ~{fold[15:4], fold[3:0] +{3'b0, fold[16]}};

  // ---- queues ---------------------------------------------------------------------------------
  udp_hdr_t head;
  logic head_gen, head_discard, head_valid, cks_valid, cks_drop, unused_ready;
  logic [15:0] head_cks;
  logic [$clog2(DEPTH):0] unused_depth;
  logic [$clog2(DEPTH)+1:0] unused_cks_depth;

  kumi_fifo #(
      .W(UDP_HDR_W + 2),
      .DEPTH(DEPTH),
      .STYLE(0)
  ) u_records (
      .clk,
      .rst,
      .s_data ({hdr.cks == CKS_GENERATE && !fits, gen_new, hdr}),
      .s_valid(hdr_take),
      .s_ready(room),
      .m_data ({head_discard, head_gen, head}),
      .m_valid(head_valid),
      .m_ready(rec_valid && rec_ready),
      .depth  (unused_depth)
  );

  // Never full: each checksum belongs to a record in the other, shorter queue.
  kumi_fifo #(
      .W(17),
      .DEPTH(2 * DEPTH),
      .STYLE(0)
  ) u_checksums (
      .clk,
      .rst,
      .s_data ({drop_q[STAGES+1], cks}),
      .s_valid(end_q[STAGES+1]),
      .s_ready(unused_ready),
      .m_data ({cks_drop, head_cks}),
      .m_valid(cks_valid),
      .m_ready(rec_valid && rec_ready && head_gen),
      .depth  (unused_cks_depth)
  );

  always_comb begin
    rec = head;
    // Zero would mean no checksum (RFC 768).
    if (head_gen) rec.checksum = head_cks == '0 ? 16'hffff : head_cks;
    else if (head.cks == CKS_NONE) rec.checksum = '0;
  end

  assign discard   = head_gen ? cks_drop : head_discard;
  assign rec_valid = head_valid && (!head_gen || cks_valid);

  logic unused;
  assign unused = &{unused_zero, unused_ready, unused_depth, unused_cks_depth, cfg, cur};
endmodule
