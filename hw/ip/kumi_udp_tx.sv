// SPDX-License-Identifier: Apache-2.0
//
// UDP transmit port of a kernel: buffers the payload while the resolver works and, with
//   CKS_GENERATE, until its checksum (RFC 768) is known.
//
// s_hdr: udp_hdr_t; s_axis: its payload (none with length 0), tuser[0] with tlast: bad. A record is
//   accepted once the previous payload is complete; payload waits for its record.
// t_*: record for the resolver (t_valid, t_ready), p_*: payload for the frame builder.
// Latency: record 1 cycle at 64 bits (kumi_udp_tx_meta_reg), 2 above (kumi_udp_tx_meta_fifo),
//   payload 3; one datagram per cycle. With CKS_GENERATE the record waits for its last payload beat
//   and a few cycles more, without loss of throughput.
// Bad input: with CKS_GENERATE a payload that is bad, exceeds FIFO_BYTES, or is longer than its
//   record says sets `discard` in the record. Otherwise the frame builder handles it.
module kumi_udp_tx
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat
    parameter int FIFO_BYTES = 16384  // payload bytes buffered, a power of two
) (
    input  logic                           clk,
    input  logic                           rst,
    input  ip_cfg_t                        cfg,
           kumi_rec_if.snk                 s_hdr,
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

  if (s_hdr.W != UDP_HDR_W || s_axis.DATA_W != DATA_W) begin : gen_check_if
    $fatal(0, "s_hdr or s_axis has a wrong width (%m)");
  end

  logic pay_open;  // the payload beat on s_axis belongs to an accepted record
  logic discard;
  udp_hdr_t rec;

  // ---- payload fifo ---------------------------------------------------------------------------
  logic fifo_ready;
  logic [BW-1:0] in_last, out_last;
  logic [$clog2(DEPTH):0] unused_depth;

  kumi_keep_to_last #(
      .KEEP_W(B)
  ) u_in_last (
      .keep(s_axis.tkeep),
      .last(in_last)
  );

  kumi_fifo #(
      .W(DATA_W + BW + 2),
      .DEPTH(DEPTH),
      .STYLE(1)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({s_axis.tuser[0], s_axis.tlast, in_last, s_axis.tdata}),
      .s_valid(s_axis.tvalid && pay_open),
      .s_ready(fifo_ready),
      .m_data ({p_bad, p_last, out_last, p_data}),
      .m_valid(p_valid),
      .m_ready(p_ready),
      .depth  (unused_depth)
  );

  kumi_last_to_keep #(
      .KEEP_W(B)
  ) u_out_keep (
      .last(out_last),
      .keep(p_keep)
  );

  assign s_axis.tready = fifo_ready && pay_open;

  // ---- records --------------------------------------------------------------------------------
  if (B == 8) begin : gen_hold
    kumi_udp_tx_meta_reg #(
        .DATA_W(DATA_W),
        .FIFO_BYTES(FIFO_BYTES)
    ) u_records (
        .clk,
        .rst,
        .cfg,
        .hdr(udp_hdr_t'(s_hdr.data)),
        .hdr_valid(s_hdr.valid),
        .hdr_ready(s_hdr.ready),
        .pay_data(s_axis.tdata),
        .pay_keep(s_axis.tkeep),
        .pay_valid(s_axis.tvalid && fifo_ready),
        .pay_last(s_axis.tlast),
        .pay_bad(s_axis.tuser[0]),
        .pay_open,
        .rec,
        .discard,
        .rec_valid(t_valid),
        .rec_ready(t_ready)
    );
  end else begin : gen_queue
    kumi_udp_tx_meta_fifo #(
        .DATA_W(DATA_W),
        .FIFO_BYTES(FIFO_BYTES)
    ) u_records (
        .clk,
        .rst,
        .cfg,
        .hdr(udp_hdr_t'(s_hdr.data)),
        .hdr_valid(s_hdr.valid),
        .hdr_ready(s_hdr.ready),
        .pay_data(s_axis.tdata),
        .pay_keep(s_axis.tkeep),
        .pay_valid(s_axis.tvalid && fifo_ready),
        .pay_last(s_axis.tlast),
        .pay_bad(s_axis.tuser[0]),
        .pay_open,
        .rec,
        .discard,
        .rec_valid(t_valid),
        .rec_ready(t_ready)
    );
  end

  always_comb begin
    t = '0;
    t.kind = KIND_UDP;
    t.discard = discard;
    t.mac = rec.peer_mac;
    t.mac_valid = rec.peer_mac_valid;
    t.vlan_valid = rec.vlan_valid;
    t.vlan_tci = rec.vlan_tci;
    t.ip = rec.peer_ip;
    t.proto = PROTO_UDP;
    t.length = rec.length;
    t.src_port = rec.local_port;
    t.dst_port = rec.peer_port;
    t.checksum = rec.checksum;
  end

  logic unused;
  assign unused = &{rec.cks, unused_depth};
endmodule
