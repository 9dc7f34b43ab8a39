// SPDX-License-Identifier: Apache-2.0
//
// Queues of a switch input with what is known of each packet in them: enters packets, those of
// multicast once per port, and describes the head of a queue.
//
// in_*: a packet that begins to be stored: in_store_ring, in_len of the memory; for in_out on
//   in_ring, or with in_mcast for the ports of in_mask by SL. At most one every 2 cycles.
// waiting, peek_*, deq_*: see kumi_ib_switch_voq; deq_mcast: what leaves is a copy. found_*: of the
//   packet at peek_*, one cycle later.
// refs_*, rel_*: of copies, see kumi_ib_switch_mcast, with no_vl and discard. Latency in_* to
//   `waiting` 2 cycles.
module kumi_ib_switch_queue
  import kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS    = 8,
    parameter  int NUMBER   = 1,                 // of this port
    parameter  int DATA_VLS = 4,
    parameter  int BLOCKS   = 64,                // of memory per ring
    parameter  int COPIES   = 32,                // of multicast packets in queues, at most 64
    localparam int OUTS     = PORTS + 1,
    localparam int OUT_W    = $clog2(OUTS),
    localparam int RINGS    = DATA_VLS + 1,
    localparam int RING_W   = $clog2(RINGS),
    localparam int NBLK     = RINGS * BLOCKS,
    localparam int BLK_W    = $clog2(NBLK),
    localparam int REF_W    = $clog2(PORTS + 2)
) (
    input logic                         clk,
    input logic                         rst,
    input ib_table_write_t              write,
    input ib_out_info_t    [   PORTS:0] outs,
    input logic            [TIME_W-1:0] now,

    // Packets.
    input logic              in_valid,
    input logic [ BLK_W-1:0] in_pkt,
    input logic [      10:0] in_len,
    input logic [RING_W-1:0] in_store_ring,
    input logic              in_mcast,
    input logic [ OUT_W-1:0] in_out,
    input logic [RING_W-1:0] in_ring,
    input logic [       3:0] in_sl,
    input logic [   PORTS:0] in_mask,

    // Copies of a multicast packet.
    output logic              refs_valid,
    input  logic              refs_ready,
    output logic [ REF_W-1:0] refs_count,
    output logic              rel_valid,
    input  logic              rel_ready,
    output logic [ BLK_W-1:0] copy_pkt,
    output logic [      10:0] copy_len,
    output logic [RING_W-1:0] copy_ring,

    // Heads.
    output logic [  OUTS-1:0][RINGS-1:0] waiting,
    input  logic [ OUT_W-1:0]            peek_out,
    input  logic [RING_W-1:0]            peek_ring,
    output logic [TIME_W-1:0]            peek_since,
    input  logic                         deq_valid,
    input  logic                         deq_mcast,
    output logic                         found_mcast,
    output logic [ BLK_W-1:0]            found_pkt,
    output logic [      10:0]            found_len,
    output logic [RING_W-1:0]            found_ring,
    output logic [TIME_W-1:0]            found_arrived,

    // Events.
    output logic        no_vl,
    output ib_discard_t discard
);
  localparam int ENTRIES = NBLK + COPIES;
  localparam int ENTRY_W = $clog2(ENTRIES);
  localparam int COPY_W = $clog2(COPIES);
  localparam int ENTRY_BITS = 1 + BLK_W + 11 + RING_W + TIME_W;

  // ---- Entrance ---------------------------------------------------------------------------------
  logic uni_valid_q, uni_ready, more_valid, more_ready, entry_valid;
  logic [BLK_W-1:0] uni_pkt_q;
  logic [OUT_W-1:0] uni_out_q, more_out;
  logic [RING_W-1:0] uni_ring_q, more_ring;
  logic [COPY_W-1:0] copy, copy_q;
  logic [ TIME_W-1:0] copy_arrived;
  logic [ENTRY_W-1:0] peek_entry;

  always_ff @(posedge clk) begin
    if (in_valid && !in_mcast) begin
      uni_valid_q <= 1'b1;
      uni_pkt_q   <= in_pkt;
      uni_out_q   <= in_out;
      uni_ring_q  <= in_ring;
    end else if (uni_ready) begin
      uni_valid_q <= 1'b0;
    end
    copy_q <= COPY_W'(peek_entry - ENTRY_W'(NBLK));
    if (rst) uni_valid_q <= 1'b0;
  end

  kumi_ib_switch_mcast #(
      .PORTS(PORTS),
      .NUMBER(NUMBER),
      .DATA_VLS(DATA_VLS),
      .BLK_W(BLK_W),
      .COPIES(COPIES)
  ) u_mcast (
      .clk,
      .rst,
      .write,
      .outs,
      .in_valid(in_valid && in_mcast),
      .in_pkt,
      .in_len,
      .in_ring(in_store_ring),
      .in_sl,
      .in_mask,
      .in_time(now),
      .refs_valid,
      .refs_ready,
      .refs_count,
      .entry_valid,
      .entry_ready(!in_valid),
      .entry_copy(copy),
      .enq_valid(more_valid),
      .enq_ready(more_ready),
      .enq_out(more_out),
      .enq_ring(more_ring),
      .rel_valid,
      .rel_ready,
      .pkt(copy_pkt),
      .len(copy_len),
      .ring(copy_ring),
      .arrived(copy_arrived),
      .put_valid(deq_valid && deq_mcast),
      .put_copy(copy_q),
      .no_vl,
      .discard
  );

  // ---- Queues, and the description of each entry ------------------------------------------------
  kumi_ib_switch_voq #(
      .OUTS(OUTS),
      .RINGS(RINGS),
      .ENTRIES(ENTRIES)
  ) u_voq (
      .clk,
      .rst,
      .now,
      .deq_valid,
      .deq_out(peek_out),
      .deq_ring(peek_ring),
      .enq_valid(uni_valid_q),
      .enq_out(uni_out_q),
      .enq_ring(uni_ring_q),
      .enq_entry(ENTRY_W'(uni_pkt_q)),
      .enq_ready(uni_ready),
      .more_valid,
      .more_out,
      .more_ring,
      .more_entry(ENTRY_W'(NBLK) + ENTRY_W'(copy)),
      .more_ready,
      .peek_out,
      .peek_ring,
      .peek_entry,
      .peek_since,
      .waiting
  );

  kumi_ram_sdp #(
      .W(ENTRY_BITS),
      .DEPTH(ENTRIES),
      .STYLE(2)
  ) u_entries (
      .clk,
      .wr_en(in_valid || entry_valid),
      .wr_addr(in_valid ? ENTRY_W'(in_pkt) : ENTRY_W'(NBLK) + ENTRY_W'(copy)),
      .wr_data(in_valid ? {1'b0, in_pkt, in_len, in_store_ring, now} :
               {1'b1, copy_pkt, copy_len, copy_ring, copy_arrived}),
      .rd_en(1'b1),
      .rd_addr(peek_entry),
      .rd_data({found_mcast, found_pkt, found_len, found_ring, found_arrived})
  );
endmodule
