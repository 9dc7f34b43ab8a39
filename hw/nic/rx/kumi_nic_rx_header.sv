// SPDX-License-Identifier: Apache-2.0
//
// Receive: the virtio_net_hdr of a frame (virtio 1.2, 5.1.6.4), in front of it, or the frame
// dropped.
//
// move_*, chains, good, hash, gso: of the frame that s_axis has, or that comes next; they stand
//   still until its last beat has moved. A frame moves with move_valid alone, and with move_drop
//   vanishes.
// reports: the header has the hash (VIRTIO_NET_F_HASH_REPORT).
// Latency 1 cycle, with hashes 2; a beat a cycle.
module kumi_nic_rx_header
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512  // bits of the streams
) (
    input logic clk,
    input logic rst,
    input logic reports,
    input logic move_valid,
    input logic move_drop,
    input logic [15:0] chains,
    input logic good,
    input nic_hash_t hash,
    input nic_gso_t gso,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  // What the first part of the header says goes beside the frame, to where that is put before it.
  localparam int BESIDE_W = 17 + $bits(nic_gso_t);
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(BESIDE_W)
  )
      gated (), hashed (), bare (), headed ();
  logic moves, here;

  assign moves = move_valid && !move_drop;
  assign here = moves && !reports;
  assign s_axis.tready = move_valid && (move_drop || (reports ? gated.tready : bare.tready));

  assign gated.tdata = s_axis.tdata;
  assign gated.tkeep = s_axis.tkeep;
  assign gated.tvalid = s_axis.tvalid && moves && reports;
  assign gated.tlast = s_axis.tlast;
  assign gated.tuser = '0;
  assign gated.tid = '0;
  assign gated.tdest = {gso, chains, good};

  // hash_value, hash_report, padding
  kumi_axis_prepend #(
      .BYTES(HASH_BYTES)
  ) u_hash (
      .clk,
      .rst,
      .head  ({16'd0, 13'd0, hash.kind, hash.value}),
      .s_axis(gated),
      .m_axis(hashed)
  );

  assign hashed.tready = bare.tready;
  assign bare.tdata = reports ? hashed.tdata : s_axis.tdata;
  assign bare.tkeep = reports ? hashed.tkeep : s_axis.tkeep;
  assign bare.tvalid = reports ? hashed.tvalid : s_axis.tvalid && here;
  assign bare.tlast = reports ? hashed.tlast : s_axis.tlast;
  assign bare.tuser = '0;
  assign bare.tid = '0;
  assign bare.tdest = reports ? hashed.tdest : {gso, chains, good};

  // flags, gso_type, hdr_len, gso_size, csum_start, csum_offset, num_buffers. What was joined has
  // NEEDS_CSUM: its checksum is that of the pseudo header.
  nic_gso_t beside;
  logic [79:0] about;
  assign beside = bare.tdest[BESIDE_W-1:17];
  assign about = beside.on ?
      {16'd16, beside.v6 ? 16'd54 : 16'd34, beside.size, 9'd0, nic_gso_headers(
      beside.v6, beside.options
  ), beside.v6 ? 8'd4 : 8'd1, 8'd1} : {78'd0, bare.tdest[0], 1'b0};
  kumi_axis_prepend #(
      .BYTES(HEADER_BYTES)
  ) u_header (
      .clk,
      .rst,
      .head  ({bare.tdest[16:1], about}),
      .s_axis(bare),
      .m_axis(headed)
  );
  assign headed.tready = m_axis.tready;
  assign m_axis.tdata = headed.tdata;
  assign m_axis.tkeep = headed.tkeep;
  assign m_axis.tvalid = headed.tvalid;
  assign m_axis.tlast = headed.tlast;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^{s_axis.tuser, s_axis.tid, s_axis.tdest, hashed.tuser, hashed.tid, headed.tuser,
                    headed.tid, headed.tdest};
endmodule
