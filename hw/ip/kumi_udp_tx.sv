// SPDX-License-Identifier: Apache-2.0
//
// Takes UDP datagrams from a kernel: holds the payload while the resolver works and, with
// CKS_GENERATE, until its checksum (RFC 768) is known.
//
// s_hdr: udp_hdr_t; s_axis: its payload (none with length 0), tuser[0] with tlast: bad. A record is
//   taken when the payload of the one before is in; payload waits for its record.
// t_*: record for the resolver (t_valid, t_ready), p_*: payload for the frame builder.
// Latency of a record 1 cycle, of payload 3; one datagram a cycle with CKS_NONE and
//   CKS_GIVEN. With CKS_GENERATE the record waits for the last payload beat and STAGES + 2 cycles
//   more, and the next record is not taken before.
// Bad input: with CKS_GENERATE a payload that is bad, or does not fit the FIFO_BYTES, gives the
//   record a `discard`. Otherwise the builder deals with it.
module kumi_udp_tx
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat
    parameter int FIFO_BYTES = 16384  // payload bytes held, a power of two
) (
    input  logic                           clk,
    input  logic                           rst,
    input  ip_cfg_t                        cfg,
           kumi_hdr_if.snk                 s_hdr,
           kumi_axis_if.snk                s_axis,
    output ip_tx_t                         t,
    output logic                           t_valid,
    input  logic                           t_ready,
    output logic            [  DATA_W-1:0] p_data,
    output logic            [DATA_W/8-1:0] p_keep,
    output logic                           p_valid,
    input  logic                           p_ready,
    output logic                           p_last,
    output logic                           p_bad
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  localparam int DEPTH = FIFO_BYTES / B;
  localparam int STAGES = B == 8 ? 1 : B == 16 ? 2 : B == 32 ? 3 : 4;

  udp_hdr_t hdr, rec_q;
  logic rec_valid_q;  // rec_q holds a record
  logic wait_q;  // its checksum is not known yet
  logic discard_q;
  logic pay_q;  // its payload is not in yet
  logic pre_q;  // the second beat of pseudo header goes into the sum
  logic hdr_take, pay_take, pay_end, pay_new, pay_open, generate_now;

  assign hdr = udp_hdr_t'(s_hdr.data);
  assign generate_now = hdr.cks == CKS_GENERATE;
  assign s_hdr.ready = (!pay_q || pay_end) && (!rec_valid_q || (t_valid && t_ready));
  assign hdr_take = s_hdr.valid && s_hdr.ready;

  if (s_hdr.W != UDP_HDR_W || s_axis.DATA_W != DATA_W) begin : gen_check_if
    $fatal(0, "s_hdr or s_axis has a wrong width (%m)");
  end

  // ---- payload fifo --------------------------------------------------------------------------
  logic fifo_ready;
  logic [BW-1:0] in_count, out_count;
  logic [$clog2(DEPTH):0] unused_depth;

  // Number of the last byte of a run of ones.
  function automatic logic [BW-1:0] last_byte(input logic [B-1:0] keep);
    logic [BW-1:0] n;
    n = '0;
    for (int b = BW - 1; b >= 0; b--) begin
      if (keep[n|BW'(1<<b)]) n |= BW'(1 << b);
    end
    return n;
  endfunction

  assign in_count = last_byte(s_axis.tkeep);

  kumi_fifo #(
      .W(DATA_W + BW + 2),
      .DEPTH(DEPTH),
      .STYLE(1)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({s_axis.tuser[0], s_axis.tlast, in_count, s_axis.tdata}),
      .s_valid(s_axis.tvalid && pay_open),
      .s_ready(fifo_ready),
      .m_data ({p_bad, p_last, out_count, p_data}),
      .m_valid(p_valid),
      .m_ready(p_ready),
      .depth  (unused_depth)
  );

  for (genvar j = 0; j < B; j++) begin : gen_keep
    assign p_keep[j] = j == 0 || out_count > BW'(j - 1);
  end

  // pay_take and pay_end speak of the record in rec_q. Where no checksum is made, the first beat
  // goes in together with its record (pay_new).
  assign pay_take      = pay_q && !pre_q && s_axis.tvalid && fifo_ready;
  assign pay_end       = pay_take && s_axis.tlast;
  assign pay_new       = !pay_q && hdr_take && hdr.length != '0 && !generate_now;
  assign pay_open      = (pay_q && !pre_q) || pay_new;
  assign s_axis.tready = fifo_ready && pay_open;

  // ---- checksum ------------------------------------------------------------------------------
  // Addresses, ports, and the UDP length twice go into the sum before the payload; INIT is what is
  // constant: the protocol and twice the 8 bytes of the UDP header.
  logic [B-1:0][7:0] sum_data, pre_data;
  logic [31:0] total;
  logic unused_zero;
  logic [STAGES-1:0] done_q;  // the last beat on its way through the sum
  logic sum_end, pay_good;
  logic [16:0] fold;
  logic [15:0] cks;

  function automatic logic [15:0] swap(input logic [15:0] w);
    return {w[7:0], w[15:8]};
  endfunction

  if (B == 8) begin : gen_pre2
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
  end else begin : gen_pre1
    assign pre_data = DATA_W'({
      swap(hdr.length),
      swap(hdr.length),
      swap(cfg.ip[15:0]),
      swap(cfg.ip[31:16]),
      swap(hdr.peer_port),
      swap(hdr.local_port),
      swap(hdr.peer_ip[15:0]),
      swap(hdr.peer_ip[31:16])
    });
    assign sum_end = pay_good || (hdr_take && generate_now && hdr.length == '0);
    assign pre_q = 1'b0;
  end

  assign pay_good = pay_end && wait_q && !s_axis.tuser[0];

  // The payload beat that ends one datagram may meet the record of the next; then the first one
  // has no use for its sum.
  for (genvar j = 0; j < B; j++) begin : gen_sum_byte
    assign sum_data[j] = hdr_take || pre_q ? pre_data[j]
        : s_axis.tkeep[j] ? s_axis.tdata[8*j+:8] : 8'h00;
  end

  kumi_ip_sum #(
      .DATA_W(DATA_W),
      .STAGES(STAGES),
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

  assign fold = {1'b0, total[15:0]} + {1'b0, total[31:16]};
  assign cks  = ~(fold[15:0] +{15'b0, fold[16]});

  always_ff @(posedge clk) begin
    done_q <= STAGES'({done_q, sum_end});
    if (rst) done_q <= '0;
  end

  // ---- record --------------------------------------------------------------------------------
  logic [15-BW:0] beats_q;  // payload beats that still fit the record's length, after the next one
  logic unused;
  assign unused = &{unused_zero, rec_q.cks, unused_depth, cfg};

  always_ff @(posedge clk) begin
    if (pay_end) pay_q <= 1'b0;
    if (pay_take) beats_q <= beats_q - 1'b1;
    if (t_valid && t_ready) rec_valid_q <= 1'b0;
    if (done_q[STAGES-1] && wait_q) begin
      rec_q.checksum <= cks == '0 ? '1 : cks;  // zero would mean none (RFC 768)
      wait_q         <= 1'b0;
    end
    if (wait_q && pay_take && (s_axis.tlast ? s_axis.tuser[0] : beats_q == '0)) begin
      wait_q    <= 1'b0;
      discard_q <= 1'b1;
    end
    if (hdr_take) begin
      rec_q       <= hdr;
      rec_valid_q <= 1'b1;
      wait_q      <= generate_now && hdr.length <= 16'(FIFO_BYTES);
      discard_q   <= generate_now && hdr.length > 16'(FIFO_BYTES);
      pay_q       <= hdr.length != '0 && !(pay_new && s_axis.tvalid && fifo_ready && s_axis.tlast);
      beats_q     <= (16 - BW)'((hdr.length - 1'b1) >> BW);
      if (hdr.cks == CKS_NONE) rec_q.checksum <= '0;
    end
    if (rst) begin
      rec_valid_q <= 1'b0;
      wait_q      <= 1'b0;
      pay_q       <= 1'b0;
    end
  end

  assign t_valid = rec_valid_q && !wait_q;

  always_comb begin
    t = '0;
    t.kind = KIND_UDP;
    t.discard = discard_q;
    t.mac = rec_q.peer_mac;
    t.mac_valid = rec_q.peer_mac_valid;
    t.vlan_valid = rec_q.vlan_valid;
    t.vlan_tci = rec_q.vlan_tci;
    t.ip = rec_q.peer_ip;
    t.proto = PROTO_UDP;
    t.length = rec_q.length;
    t.src_port = rec_q.local_port;
    t.dst_port = rec_q.peer_port;
    t.checksum = rec_q.checksum;
  end
endmodule
