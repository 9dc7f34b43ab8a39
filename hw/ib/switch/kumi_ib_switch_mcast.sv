// SPDX-License-Identifier: Apache-2.0
//
// Multicast at a switch input: a packet stays in the memory once, and each port of its mask gets an
// entry in its queue (IBTA volume 1, chapter 18).
//
// in_*: packets, taken at once: DEPTH is the number that the memory can hold. One after the other
//   is entered in the queues: about 6 cycles a copy. refs_*: how many copies, before the first one.
// entry_*, enq_*: description and queue of a copy. rel_*: a copy that has no way (discard, no_vl).
// put_*: the entry of a copy has left its queue. A packet waits here while all COPIES entries are
//   in queues, and so do those behind it.
module kumi_ib_switch_mcast
  import kumi_ib_pkg::max_pkt_len;
  import kumi_ib_link_pkg::*;
  import kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS    = 8,
    parameter  int NUMBER   = 1,                     // of this port
    parameter  int DATA_VLS = 4,
    parameter  int BLK_W    = 9,
    parameter  int COPIES   = 32,
    localparam int OUT_W    = $clog2(PORTS + 1),
    localparam int RING_W   = $clog2(DATA_VLS + 1),
    localparam int COPY_W   = $clog2(COPIES),
    localparam int REF_W    = $clog2(PORTS + 2)
) (
    input logic                      clk,
    input logic                      rst,
    input ib_table_write_t           write,
    input ib_out_info_t    [PORTS:0] outs,

    input logic              in_valid,
    input logic [ BLK_W-1:0] in_pkt,
    input logic [      10:0] in_len,
    input logic [RING_W-1:0] in_ring,
    input logic [       3:0] in_sl,
    input logic [   PORTS:0] in_mask,
    input logic [TIME_W-1:0] in_time,

    output logic              refs_valid,
    input  logic              refs_ready,
    output logic [ REF_W-1:0] refs_count,
    output logic              entry_valid,
    input  logic              entry_ready,
    output logic [COPY_W-1:0] entry_copy,
    output logic              enq_valid,
    input  logic              enq_ready,
    output logic [ OUT_W-1:0] enq_out,
    output logic [RING_W-1:0] enq_ring,
    output logic              rel_valid,
    input  logic              rel_ready,
    output logic [ BLK_W-1:0] pkt,
    output logic [      10:0] len,
    output logic [RING_W-1:0] ring,
    output logic [TIME_W-1:0] arrived,
    input  logic              put_valid,
    input  logic [COPY_W-1:0] put_copy,

    output logic        no_vl,
    output ib_discard_t discard
);
  localparam int DEPTH = 1 << BLK_W;

  if (COPIES > FIRST_W) begin : gen_check_copies
    $fatal(0, "COPIES must be at most 64 (%m)");
  end

  typedef struct packed {
    logic [TIME_W-1:0] arrived;
    logic [PORTS:0]    mask;
    logic [3:0]        sl;
    logic [RING_W-1:0] ring;
    logic [10:0]       len;
    logic [BLK_W-1:0]  pkt;
  } mcast_packet_t;

  typedef enum logic [2:0] {
    MC_IDLE,
    MC_REFS,
    MC_PORT,  // choose the next port
    MC_ROW,  // its VL and state are being read
    MC_CHECK,
    MC_ENTRY,
    MC_ENQ,
    MC_RELEASE
  } mcast_state_e;

  mcast_packet_t waiting_pkt, own_q;
  logic waiting, fifo_ready;
  logic [BLK_W:0] fifo_depth;
  mcast_state_e state_q;

  kumi_fifo #(
      .W(TIME_W + PORTS + 1 + 4 + RING_W + 11 + BLK_W),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({in_time, in_mask, in_sl, in_ring, in_len, in_pkt}),
      .s_valid(in_valid),
      .s_ready(fifo_ready),
      .m_data (waiting_pkt),
      .m_valid(waiting),
      .m_ready(state_q == MC_IDLE),
      .depth  (fifo_depth)
  );

  assign pkt = own_q.pkt;
  assign len = own_q.len;
  assign ring = own_q.ring;
  assign arrived = own_q.arrived;

  // ---- Ports of the mask ------------------------------------------------------------------------
  logic [PORTS:0] bit_q;
  logic [OUT_W-1:0] out, out_q;
  logic [63:0] row;
  logic [3:0] vl, vl_q;
  logic [REF_W-1:0] count;
  logic vl_ok_q, too_long_q;
  ib_out_info_t info_q;

  always_comb begin
    out   = '0;
    count = '0;
    for (int p = 0; p <= PORTS; p++) begin
      if (bit_q[p]) out |= OUT_W'(p);
      count = count + REF_W'(own_q.mask[p]);
    end
  end

  kumi_ram_sdp #(
      .W(64),
      .DEPTH(PORTS + 1)
  ) u_s2v (
      .clk,
      .wr_en(write.s2v_we && (write.s2v_all || write.s2v_in == 8'(NUMBER)) &&
             32'(write.s2v_out) <= PORTS),
      .wr_addr(write.s2v_out[OUT_W-1:0]),
      .wr_data(write.s2v_table),
      .rd_en(1'b1),
      .rd_addr(out),
      .rd_data(row)
  );
  assign vl = out_q == '0 ? '0 : vl_of(row, own_q.sl);

  // ---- Entries of copies ------------------------------------------------------------------------
  logic [COPIES-1:0] used_q, free_bit_q;  // the second of a cycle ago: used by this unit alone
  logic [COPY_W-1:0] copy, copy_q;
  logic copy_ok_q;

  always_comb begin
    copy = '0;
    for (int i = 0; i < COPIES; i++) begin
      if (free_bit_q[i]) copy |= COPY_W'(i);
    end
  end

  assign refs_valid = state_q == MC_REFS;
  assign entry_valid = state_q == MC_ENTRY && copy_ok_q;
  assign entry_copy = copy_q;
  assign enq_valid = state_q == MC_ENQ;
  assign enq_out = out_q;
  assign enq_ring = vl_q[RING_W-1:0];
  assign rel_valid = state_q == MC_RELEASE;
  assign refs_count = count;

  always_ff @(posedge clk) begin
    no_vl   <= 1'b0;
    discard <= '0;
    unique case (state_q)
      MC_REFS: if (refs_ready) state_q <= MC_PORT;
      MC_PORT: begin
        bit_q   <= (PORTS + 1)'(first_of(FIRST_W'(own_q.mask)));
        state_q <= own_q.mask == '0 ? MC_IDLE : MC_ROW;
      end
      MC_ROW: begin
        own_q.mask <= own_q.mask & ~bit_q;
        out_q      <= out;
        info_q     <= outs[out];
        state_q    <= MC_CHECK;
      end
      MC_CHECK: begin
        vl_q       <= vl;
        vl_ok_q    <= out_q == '0 || (vl < vls_of(info_q.oper_vls) && 32'(vl) < DATA_VLS);
        too_long_q <= own_q.len > max_pkt_len(info_q.mtu);
        copy_q     <= copy;
        copy_ok_q  <= free_bit_q != '0;
        state_q    <= MC_ENTRY;
      end
      MC_ENTRY: begin
        if (!vl_ok_q || too_long_q || !info_q.data_ok) begin
          state_q <= MC_RELEASE;
        end else if (!copy_ok_q) begin
          copy_q    <= copy;
          copy_ok_q <= free_bit_q != '0;
        end else if (entry_ready) begin
          state_q <= MC_ENQ;
        end
      end
      MC_ENQ:  if (enq_ready) state_q <= MC_PORT;
      MC_RELEASE: begin
        if (rel_ready) begin
          state_q          <= MC_PORT;
          no_vl            <= info_q.data_ok && !too_long_q;
          discard.valid    <= !info_q.data_ok || too_long_q;
          discard.port     <= 6'(out_q);
          discard.inactive <= !info_q.data_ok;
          discard.too_long <= info_q.data_ok;
        end
      end
      default: begin
        own_q <= waiting_pkt;
        if (waiting) state_q <= MC_REFS;
      end
    endcase
    free_bit_q <= COPIES'(first_of(FIRST_W'(~used_q)));
    if (put_valid) used_q[put_copy] <= 1'b0;
    if (state_q == MC_ENQ && enq_ready) used_q[copy_q] <= 1'b1;
    if (rst) begin
      state_q <= MC_IDLE;
      used_q  <= '0;
      no_vl   <= 1'b0;
      discard <= '0;
    end
  end

  logic unused;
  assign unused = ^{write, fifo_ready, fifo_depth, info_q, vl_q};
endmodule
