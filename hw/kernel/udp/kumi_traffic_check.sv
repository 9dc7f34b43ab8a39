// SPDX-License-Identifier: Apache-2.0
//
// Receives probe datagrams (kumi_probe_pkg) of one flow and accounts for every one of them: lost,
// duplicated, late, damaged, bytes, and a histogram of the latency over powers of two.
//
// s_hdr, s_axis: received records and payloads; never asserts back-pressure. listen: the port.
// Accounting: sequence numbers start at 0 after reset or `clear`. One ahead of the highest seen
//   counts the numbers between as lost; a late one is subtracted again and counts as reordered, if
//   it is at most WINDOW behind; older ones count as stale.
// Bad input: payloads marked bad, and anything but an undamaged probe of the flow, have counters of
//   their own and do not affect the sequence.
module kumi_traffic_check
  import kumi_ip_pkg::*;
  import kumi_probe_pkg::*;
#(
    parameter int WINDOW = 64  // sequence numbers remembered, a power of two, 4..256
) (
    input logic clk,
    input logic rst,
    input logic [63:0] now,  // common cycle counter
    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    output udp_listen_t listen,
    output logic busy
);
  localparam int IDX_W = $clog2(WINDOW);

  if (WINDOW < 4 || WINDOW > 256 || 2 ** IDX_W != WINDOW) begin : gen_check_window
    $fatal(0, "WINDOW must be a power of two, 4..256 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_traffic_check_regs_pkg::kumi_traffic_check_regs__in_t  hwif_in;
  kumi_traffic_check_regs_pkg::kumi_traffic_check_regs__out_t hwif_out;

  kumi_traffic_check_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  always_comb begin
    listen = '0;
    listen.every = hwif_out.match.port.value == '0;
    listen.ports[0] = '{valid: 1'b1, port: hwif_out.match.port.value};
  end

  logic clear;
  assign clear = hwif_out.ctrl.clear.value;

  // ---- probes --------------------------------------------------------------------------------
  logic res_valid, drop_port, empty, rx_busy;
  probe_res_t res;

  kumi_probe_rx u_rx (
      .clk,
      .rst,
      .now,
      .port(hwif_out.match.port.value),
      .s_hdr,
      .s_axis,
      .res_valid,
      .res,
      .drop_port,
      .empty,
      .busy(rx_busy)
  );

  // ---- stage 1: place in the sequence --------------------------------------------------------
  // The window remembers which number came last in each of its slots.
  logic [31:IDX_W] tag[WINDOW];
  logic [WINDOW-1:0] used_q;
  logic [31:0] next_q, ahead, behind, seq;
  logic [IDX_W-1:0] slot;
  logic good, is_ahead, in_window, seen, fresh;

  assign seq = res.hdr.seq;
  assign slot = seq[IDX_W-1:0];
  assign good = res_valid && !res.bad && !res.wrong && res.hdr.flow == hwif_out.match.flow.value;
  assign ahead = seq - next_q;
  assign behind = next_q - seq;
  assign is_ahead = !ahead[31];
  assign in_window = behind <= 32'(WINDOW);
  assign seen = used_q[slot] && tag[slot] == seq[31:IDX_W];
  assign fresh = good && (is_ahead || (in_window && !seen));

  logic fresh_q, late_q, dup_q, stale_q, corrupt_q, bad_q, drop_q, empty_q;
  logic [31:0] gap_q, latency_q;
  logic [15:0] length_q;

  always_ff @(posedge clk) begin
    if (fresh) begin
      used_q[slot] <= 1'b1;
      if (is_ahead) next_q <= seq + 1'b1;
    end
    fresh_q <= fresh;
    late_q <= fresh && !is_ahead;
    dup_q <= good && !is_ahead && in_window && seen;
    stale_q <= good && !is_ahead && !in_window;
    corrupt_q <= res_valid && !res.bad && !good;
    bad_q <= res_valid && res.bad;
    drop_q <= drop_port;
    empty_q <= empty;
    gap_q <= (good && is_ahead) ? ahead : '0;
    length_q <= res.length;
    latency_q <= res.latency;
    if (rst || clear) begin
      used_q <= '0;
      next_q <= '0;
      fresh_q <= 1'b0;
      late_q <= 1'b0;
      dup_q <= 1'b0;
      stale_q <= 1'b0;
      corrupt_q <= 1'b0;
      bad_q <= 1'b0;
      drop_q <= 1'b0;
      empty_q <= 1'b0;
      gap_q <= '0;
    end
  end

  always_ff @(posedge clk) begin
    if (fresh) tag[slot] <= seq[31:IDX_W];
  end

  // ---- stage 2: results ----------------------------------------------------------------------
  logic [31:0] received_q, lost_q, dups_q, lates_q, stales_q, corrupts_q, bads_q, drops_q;
  logic [31:0] lat_min_q, lat_max_q;
  logic [63:0] bytes_q, lat_sum_q;

  always_ff @(posedge clk) begin
    received_q <= received_q + 32'(fresh_q);
    lost_q <= lost_q + gap_q - 32'(late_q);
    dups_q <= dups_q + 32'(dup_q);
    lates_q <= lates_q + 32'(late_q);
    stales_q <= stales_q + 32'(stale_q);
    corrupts_q <= corrupts_q + 32'(corrupt_q) + 32'(empty_q);
    bads_q <= bads_q + 32'(bad_q);
    drops_q <= drops_q + 32'(drop_q);
    if (fresh_q) begin
      bytes_q   <= bytes_q + 64'(length_q);
      lat_sum_q <= lat_sum_q + 64'(latency_q);
      if (latency_q < lat_min_q) lat_min_q <= latency_q;
      if (latency_q > lat_max_q) lat_max_q <= latency_q;
    end
    if (rst || clear) begin
      received_q <= '0;
      lost_q <= '0;
      dups_q <= '0;
      lates_q <= '0;
      stales_q <= '0;
      corrupts_q <= '0;
      bads_q <= '0;
      drops_q <= '0;
      bytes_q <= '0;
      lat_sum_q <= '0;
      lat_min_q <= '1;
      lat_max_q <= '0;
    end
  end

  kumi_log2_hist u_hist (
      .clk,
      .rst,
      .clear,
      .valid(fresh_q && !clear),
      .value(latency_q),
      .req(hwif_out.lat_hist.req),
      .req_is_wr(hwif_out.lat_hist.req_is_wr),
      .req_index(hwif_out.lat_hist.addr[6:2]),
      .rd_ack(hwif_in.lat_hist.rd_ack),
      .rd_data(hwif_in.lat_hist.rd_data),
      .wr_ack(hwif_in.lat_hist.wr_ack)
  );

  assign hwif_in.received.value.next = received_q;
  assign hwif_in.bytes_lo.value.next = bytes_q[31:0];
  assign hwif_in.bytes_hi.value.next = bytes_q[63:32];
  assign hwif_in.lost.value.next = lost_q;
  assign hwif_in.duplicated.value.next = dups_q;
  assign hwif_in.reordered.value.next = lates_q;
  assign hwif_in.stale.value.next = stales_q;
  assign hwif_in.corrupt.value.next = corrupts_q;
  assign hwif_in.bad_payload.value.next = bads_q;
  assign hwif_in.other_port.value.next = drops_q;
  assign hwif_in.next_seq.value.next = next_q;
  assign hwif_in.lat_min.value.next = lat_min_q;
  assign hwif_in.lat_max.value.next = lat_max_q;
  assign hwif_in.lat_sum_lo.value.next = lat_sum_q[31:0];
  assign hwif_in.lat_sum_hi.value.next = lat_sum_q[63:32];

  assign busy = rx_busy;

  logic unused;
  assign unused = ^res;
endmodule
