// SPDX-License-Identifier: Apache-2.0
//
// Records of kumi_udp_tx at 64 bits, one at a time: the checksum of a datagram is summed in the
//   lanes of its payload, pseudo header and UDP header first. A datagram takes the beats of its
//   payload plus five cycles, no more than the beats of its frame.
//
// hdr_*: records in. pay_*: observes the payload: a beat counts with pay_valid and pay_open. rec_*:
//   record out, with its checksum; discard: do not send. Latency 1 cycle without checksum.
module kumi_udp_tx_meta_reg
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat
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

  if (B != 8) begin : gen_check_w
    $fatal(0, "DATA_W must be 64 (%m)");
  end

  udp_hdr_t rec_q;
  logic     rec_valid_q;  // rec_q holds a record
  logic     wait_q;  // its checksum is pending
  logic     discard_q;
  logic     pay_q;  // its payload is incomplete
  logic     pre_q;  // the second beat of the pseudo header is being summed
  logic hdr_take, pay_take, pay_end, pay_new, generate_now;

  assign generate_now = hdr.cks == CKS_GENERATE;
  // Not in the cycle in which a record leaves: that would connect two long ready paths.
  assign hdr_ready = (!pay_q || pay_end) && !rec_valid_q;
  assign hdr_take = hdr_valid && hdr_ready;

  // pay_take and pay_end refer to the record in rec_q. Without checksum the first beat is accepted
  // together with its record (pay_new).
  assign pay_take = pay_q && !pre_q && pay_valid;
  assign pay_end = pay_take && pay_last;
  assign pay_new = !pay_q && hdr_take && hdr.length != '0 && !generate_now;
  assign pay_open = (pay_q && !pre_q) || pay_new;

  // ---- checksum -------------------------------------------------------------------------------
  // Addresses, ports, and twice the UDP length are summed before the payload; INIT is the constant
  // part: the protocol and twice the 8 bytes of the UDP header.
  logic [B-1:0][7:0] sum_data, pre_data;
  logic [31:0] total, total_q;
  logic unused_zero;
  logic [1:0] done_q;  // the last beat is summed, is in total_q
  logic sum_end, pay_good;
  logic [16:0] fold;
  logic [15:0] cks;

  function automatic logic [15:0] swap(input logic [15:0] w);
    return {w[7:0], w[15:8]};
  endfunction

  logic [63:0] pre1, pre2;
  assign pre1 = {
    swap(hdr.peer_port), swap(hdr.local_port), swap(hdr.peer_ip[15:0]), swap(hdr.peer_ip[31:16])
  };
  assign pre2 = {swap(rec_q.length), swap(rec_q.length), swap(cfg.ip[15:0]), swap(cfg.ip[31:16])};
  assign pre_data = pre_q ? pre2 : pre1;
  assign sum_end = pay_good || (pre_q && rec_q.length == '0);

  always_ff @(posedge clk) begin
    pre_q <= hdr_take && generate_now;
    if (rst) pre_q <= 1'b0;
  end

  assign pay_good = pay_end && wait_q && !pay_bad;

  // The last payload beat of one datagram may coincide with the record of the next; then the first
  // does not need its sum.
  for (genvar j = 0; j < B; j++) begin : gen_sum_byte
    assign sum_data[j] = hdr_take || pre_q ? pre_data[j] : pay_keep[j] ? pay_data[8*j+:8] : 8'h00;
  end

  kumi_ip_checksum #(
      .DATA_W(DATA_W),
      .STAGES(1),
      .INIT  (33)
  ) u_sum (
      .clk,
      .rst,
      .en   (1'b1),
      .valid(hdr_take || pre_q || pay_take),
      .first(hdr_take),
      .data (sum_data),
      .total,
      .zero (unused_zero)
  );

  assign fold = {1'b0, total_q[15:0]} + {1'b0, total_q[31:16]};
  assign cks  = ~(fold[15:0] +{15'b0, fold[16]});

  always_ff @(posedge clk) begin
    total_q <= total;
    done_q  <= {done_q[0], sum_end};
    if (rst) done_q <= '0;
  end

  // ---- record ---------------------------------------------------------------------------------
  logic [15-BW:0] beats_q;  // payload beats within the record's length, after the next one
  logic unused;
  assign unused = &{unused_zero, cfg};

  always_ff @(posedge clk) begin
    if (pay_end) pay_q <= 1'b0;
    if (pay_take) beats_q <= beats_q - 1'b1;
    if (rec_valid && rec_ready) rec_valid_q <= 1'b0;
    if (done_q[1] && wait_q) begin
      rec_q.checksum <= cks == '0 ? '1 : cks;  // zero would mean no checksum (RFC 768)
      wait_q         <= 1'b0;
    end
    if (wait_q && pay_take && (pay_last ? pay_bad : beats_q == '0)) begin
      wait_q    <= 1'b0;
      discard_q <= 1'b1;
    end
    if (hdr_take) begin
      rec_q       <= hdr;
      rec_valid_q <= 1'b1;
      wait_q      <= generate_now && hdr.length <= 16'(FIFO_BYTES);
      discard_q   <= generate_now && hdr.length > 16'(FIFO_BYTES);
      pay_q       <= hdr.length != '0 && !(pay_new && pay_valid && pay_last);
      beats_q     <= (16 - BW)'((hdr.length - 1'b1) >> BW);
      if (hdr.cks == CKS_NONE) rec_q.checksum <= '0;
    end
    if (rst) begin
      rec_valid_q <= 1'b0;
      wait_q      <= 1'b0;
      pay_q       <= 1'b0;
    end
  end

  assign rec       = rec_q;
  assign discard   = discard_q;
  assign rec_valid = rec_valid_q && !wait_q;
endmodule
