// SPDX-License-Identifier: Apache-2.0
//
// Receive segment coalescing: makes runs of the frames that lie behind one another in the frame
// memory, each to become one packet.
//
// enable: frames of IPv4 (0) and of IPv6 (1) are joined (VIRTIO_NET_F_GUEST_TSO4, GUEST_TSO6); else
//   each is a run.
// s_*: frames in their order, see kumi_nic_rx_frames; rsc: see kumi_nic_rsc_class, with `follows`
//   only if the frame before it is the one before it here too.
// m_*: the same of each run: bytes of the packet, m_gso: what its header says. m_op: for
//   kumi_nic_rsc_join, with the same handshake; m_room: it has a place.
// A run is continued by a frame that follows, that is to be received, has a verified checksum and
//   no padding, and no more payload than the first. It ends behind PSH, behind a frame with less
//   payload, with MOST bytes, or when none has come for WAIT cycles.
// Latency: 5 cycles for a frame that is not TCP with payload, else until the run ends. Throughput:
//   a frame a cycle, of those that are alone one every two.
module kumi_nic_rsc_plan
  import kumi_nic_pkg::*;
#(
    parameter int LOOK_W = 1,  // bits of a queue
    parameter int MOST = 8192,  // bytes from which a packet takes no further frame, a power of two
    parameter int WAIT = 256  // cycles, a power of two
) (
    input logic clk,
    input logic rst,
    input logic [1:0] enable,

    input logic s_valid,
    output logic s_ready,
    input logic s_take,
    input logic s_good,
    input nic_hash_t s_hash,
    input logic [LOOK_W-1:0] s_queue,
    input logic [16:0] s_bytes,
    input nic_rsc_t s_rsc,

    output logic m_valid,
    input logic m_ready,
    input logic m_room,
    output logic m_take,
    output logic m_good,
    output nic_hash_t m_hash,
    output logic [LOOK_W-1:0] m_queue,
    output logic [16:0] m_bytes,
    output nic_gso_t m_gso,
    output nic_rsc_op_t m_op,
    output logic busy
);
  typedef struct packed {
    logic take;
    logic good;
    nic_hash_t hash;
    logic [LOOK_W-1:0] vq;
    logic [16:0] bytes;
    nic_rsc_t rsc;
  } rsc_frame_t;

  // ---- 1: a frame, and whether it can be part of a run ----------------------------------------
  rsc_frame_t s_frame, in, next_q, run_q;
  logic [$bits(rsc_frame_t)-1:0] in_bits;
  logic in_valid, in_ready, next_valid_q, next_able_q, next_take;
  logic [15:0] next_pay_q;

  assign s_frame = '{
          take: s_take,
          good: s_good,
          hash: s_hash,
          vq: s_queue,
          bytes: s_bytes,
          rsc: s_rsc
      };
  kumi_slice #(
      .W($bits(rsc_frame_t)),
      .MODE(2)
  ) u_in (
      .clk,
      .rst,
      .s_data (s_frame),
      .s_valid,
      .s_ready,
      .m_data (in_bits),
      .m_valid(in_valid),
      .m_ready(in_ready)
  );
  assign in = in_bits;

  // Bytes of a packet in front of those that its length counts.
  function automatic logic [5:0] ahead(input logic v6);
    return v6 ? 6'd54 : 6'd14;
  endfunction

  assign in_ready = !next_valid_q || next_take;
  always_ff @(posedge clk) begin
    if (in_ready) begin
      next_valid_q <= in_valid;
      next_q <= in;
      next_able_q <= enable[in.rsc.v6] && in.take && in.good && in.rsc.able &&
          in.bytes == 17'(in.rsc.length) + 17'(ahead(
          in.rsc.v6
      ));
      next_pay_q <= in.rsc.length - 16'(nic_rsc_headers(in.rsc.v6, in.rsc.options));
    end
    if (rst) next_valid_q <= 1'b0;
  end

  // ---- 2: the run ----------------------------------------------------------------------------
  localparam int MOST_W = $clog2(MOST);
  logic run_valid_q, open_q, joins, ends, out_ready;
  logic [15:0] most_pay_q, length_q, longer;
  logic [15:0] extra_q;  // payload behind that of the first frame
  logic [5:0] more_q;
  logic push_q;
  logic [$clog2(WAIT):0] waited_q;

  assign joins = run_valid_q && open_q && next_valid_q && next_able_q && next_q.rsc.follows &&
      next_pay_q <= most_pay_q;
  assign ends = run_valid_q && !joins && (!open_q || next_valid_q || waited_q[$clog2(WAIT)]);
  assign next_take = joins || !run_valid_q || (ends && out_ready);
  assign longer = length_q + next_pay_q;

  always_ff @(posedge clk) begin
    waited_q <= waited_q[$clog2(WAIT)] ? waited_q : waited_q + 1'b1;
    if (ends && out_ready) run_valid_q <= 1'b0;
    if (next_valid_q && next_take) begin
      waited_q <= '0;
      if (joins) begin
        length_q <= longer;
        extra_q <= extra_q + next_pay_q;
        more_q <= more_q + 1'b1;
        push_q <= next_q.rsc.push;
        open_q <= next_pay_q == most_pay_q && !next_q.rsc.push && longer[15:MOST_W] == '0 &&
            !more_q[5];
      end else begin
        run_valid_q <= 1'b1;
        run_q <= next_q;
        length_q <= next_q.rsc.length;
        extra_q <= '0;
        most_pay_q <= next_pay_q;
        more_q <= '0;
        push_q <= next_q.rsc.push;
        open_q <= next_able_q && !next_q.rsc.push && next_q.rsc.length[15:MOST_W] == '0;
      end
    end
    if (rst) run_valid_q <= 1'b0;
  end

  // ---- 3, 4: the sums of its headers, adjusted to its length ----------------------------------
  rsc_frame_t run3_q, run4_q;
  logic valid3_q, valid4_q, free;
  nic_rsc_op_t op3_q, op4_q;
  logic [15:0] pay3_q, pay4_q;
  logic [16:0] csum3_q, pseudo3_q;

  assign free = !valid4_q || (m_ready && m_room);
  assign out_ready = free;
  always_ff @(posedge clk) begin
    if (free) begin
      valid3_q <= ends;
      run3_q <= run_q;
      pay3_q <= most_pay_q;
      op3_q <= '{
          more: more_q,
          v6: run_q.rsc.v6,
          options: run_q.rsc.options,
          push: push_q,
          length: length_q,
          csum: '0,
          pseudo: '0
      };
      // RFC 1624: what is longer is added to the complement.
      csum3_q <= 17'(16'(~run_q.rsc.csum)) + 17'(extra_q);
      pseudo3_q <= 17'(run_q.rsc.pseudo) + 17'(length_q);
      valid4_q <= valid3_q;
      run4_q <= run3_q;
      if (op3_q.more != '0) run4_q.bytes <= 17'(op3_q.length) + 17'(ahead(op3_q.v6));
      pay4_q <= pay3_q;
      op4_q <= op3_q;
      op4_q.csum <= ~(csum3_q[15:0] + 16'(csum3_q[16]));
      op4_q.pseudo <= pseudo3_q[15:0] + 16'(pseudo3_q[16]);
    end
    if (rst) {valid3_q, valid4_q} <= '0;
  end

  assign m_valid = valid4_q && m_room;
  assign m_take  = run4_q.take;
  assign m_good  = run4_q.good;
  assign m_hash  = run4_q.hash;
  assign m_queue = run4_q.vq;
  assign m_bytes = run4_q.bytes;
  assign m_gso   = '{
          on: op4_q.more != '0,
          v6: op4_q.v6,
          options: op4_q.options,
          size: pay4_q
      };
  assign m_op    = op4_q;
  assign busy    = in_valid || next_valid_q || run_valid_q || valid3_q || valid4_q;

  logic unused;
  assign unused = ^{run4_q.rsc, next_q};
endmodule
