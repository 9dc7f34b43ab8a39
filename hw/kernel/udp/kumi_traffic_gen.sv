// SPDX-License-Identifier: Apache-2.0
//
// Sends numbered, time-stamped probe datagrams (kumi_probe_pkg) of random or fixed size to one
// peer, at a rate set by a token bucket, or as fast as the stack accepts them.
//
// m_hdr, m_axis: records and payloads to send. The record is offered a cycle before the payload.
// Throughput: one beat a cycle; datagrams start at least 2 cycles apart.
// Rate: each datagram takes its payload bytes and `overhead` from the bucket, which gains `rate`
//   per cycle and holds at most `burst` bytes (and a few cycles' gain, so that the rate is exact);
//   a datagram starts when the bucket is not negative.
// Bad input: lengths are clamped to 16..8972. A stalled stack stalls it; nothing is lost.
module kumi_traffic_gen
  import kumi_ip_pkg::*;
  import kumi_probe_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [63:0] now,  // common cycle counter
    kumi_axil_if.slv s_axil,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic busy
);
  // ---- registers -----------------------------------------------------------------------------
  kumi_traffic_gen_regs_pkg::kumi_traffic_gen_regs__in_t  hwif_in;
  kumi_traffic_gen_regs_pkg::kumi_traffic_gen_regs__out_t hwif_out;

  kumi_traffic_gen_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic start, stop;
  assign start = hwif_out.ctrl.start.value;
  assign stop  = hwif_out.ctrl.stop.value;

  // ---- random lengths ------------------------------------------------------------------------
  // length = min + random * (max - min + 1) / 65536, ready 2 cycles after the random number.
  logic [15:0] low, high, length_q;
  logic [16:0] span_q;
  logic [32:0] product;
  logic [31:0] random_q;  // Galois LFSR, x^32 + x^22 + x^2 + x + 1
  logic [1:0] prepare_q;  // cycles until length_q holds
  logic launch;

  assign low = probe_length(hwif_out.length.low.value);
  assign high = probe_length(hwif_out.length.high.value);
  assign product = random_q[15:0] * span_q;

  always_ff @(posedge clk) begin
    span_q   <= (high < low) ? 17'd1 : 17'(high) - 17'(low) + 17'd1;
    length_q <= low + product[31:16];
    if (prepare_q != '0) prepare_q <= prepare_q - 1'b1;
    if (launch) begin
      random_q  <= {1'b0, random_q[31:1]} ^ (random_q[0] ? 32'h80200003 : 32'h0);
      prepare_q <= 2'd1;
    end
    if (start) begin
      random_q  <= (hwif_out.seed.value.value == '0) ? 32'd1 : hwif_out.seed.value.value;
      prepare_q <= 2'd2;
    end
  end

  // ---- token bucket --------------------------------------------------------------------------
  // Bytes with 16 fraction bits, signed. A change waits a cycle in delta_q; datagrams are at least
  // two cycles apart, so each one sees what the one before it took.
  logic signed [35:0] credit_q, delta_q, gain, limit, charge;
  logic [23:0] rate;
  logic allowed;

  assign rate = hwif_out.rate.value.value;
  assign gain = $signed({12'h0, rate});
  assign limit = $signed({4'h0, hwif_out.bucket.burst.value, 16'h0}) + (gain <<< 1);
  assign charge = $signed({3'h0, 17'(length_q) + 17'(hwif_out.bucket.overhead.value), 16'h0});
  assign allowed = rate == '0 || !credit_q[35];

  always_ff @(posedge clk) begin
    delta_q  <= ((credit_q > limit) ? '0 : gain) - (launch ? charge : '0);
    credit_q <= credit_q + delta_q;
    if (start) begin
      delta_q  <= '0;
      credit_q <= '0;
    end
  end

  // ---- run -----------------------------------------------------------------------------------
  logic run_q, endless_q;
  logic [31:0] left_q, sent_q, cycles_q, elapsed_q;
  logic [63:0] bytes_q;
  logic gen_ready, gen_busy;

  assign launch = run_q && !start && prepare_q == '0 && allowed && gen_ready &&
      (!m_hdr.valid || m_hdr.ready);

  always_ff @(posedge clk) begin
    if (elapsed_q != '1) elapsed_q <= elapsed_q + 1'b1;
    if (m_axis.tvalid && m_axis.tready && m_axis.tlast) cycles_q <= elapsed_q;
    if (launch) begin
      sent_q  <= sent_q + 1'b1;
      bytes_q <= bytes_q + 64'(length_q);
      left_q  <= left_q - 1'b1;
      if (left_q == 32'd1 && !endless_q) run_q <= 1'b0;
    end
    if (stop) run_q <= 1'b0;
    if (start) begin
      run_q <= 1'b1;
      endless_q <= hwif_out.frames.value.value == '0;
      left_q <= hwif_out.frames.value.value;
      sent_q <= '0;
      bytes_q <= '0;
      cycles_q <= '0;
      elapsed_q <= '0;
    end
    if (rst) begin
      run_q <= 1'b0;
      sent_q <= '0;
      bytes_q <= '0;
      cycles_q <= '0;
    end
  end

  udp_hdr_t hdr;
  always_comb begin
    hdr = '0;
    hdr.peer_ip = hwif_out.peer_ip.value.value;
    hdr.peer_port = hwif_out.ports.peer.value;
    hdr.local_port = hwif_out.ports.own.value;
    hdr.length = length_q;
    hdr.cks = hwif_out.option.checksum.value ? CKS_GENERATE : CKS_NONE;
  end

  always_ff @(posedge clk) begin
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (launch) begin
      m_hdr.valid <= 1'b1;
      m_hdr.data  <= hdr;
    end
    if (rst) m_hdr.valid <= 1'b0;
  end

  kumi_probe_gen u_gen (
      .clk,
      .rst,
      .now,
      .req_valid(launch),
      .req_ready(gen_ready),
      .req_length(length_q),
      .req_flow(hwif_out.option.flow.value),
      .req_seq(sent_q),
      .m_axis,
      .busy(gen_busy)
  );

  assign busy = run_q || gen_busy || m_hdr.valid;

  assign hwif_in.status.running.next = busy;
  assign hwif_in.sent.value.next = sent_q;
  assign hwif_in.sent_bytes_lo.value.next = bytes_q[31:0];
  assign hwif_in.sent_bytes_hi.value.next = bytes_q[63:32];
  assign hwif_in.cycles.value.next = cycles_q;

  logic unused;
  assign unused = ^{product[32], product[15:0]};
endmodule
