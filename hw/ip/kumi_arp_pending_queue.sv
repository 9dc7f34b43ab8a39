// SPDX-License-Identifier: Apache-2.0
//
// ARP pending queue beside the transmit path: complete frames wait here, in SLOTS slots, for the
//   MAC address of their next hop, while frames to other addresses pass.
//
// query: q_en asks about q_ip, and what follows is about it until the next q_en. One cycle later
//   q_match: a slot waits for it. Two cycles later q_room: a slot is available for it (at most
//   PER_ADDRESS per address), q_slot. q_take, not with q_en, reserves slot q_slot for the frame
//   that follows on f_*.
// f_*: the frame (each beat is accepted in its cycle); f_bad with f_last frees the slot.
// poll_*: to the ARP engine, see kumi_arp.
// m_*: a frame whose address is resolved, m_valid/m_ready; m_last ends it.
// Frames to one address leave in order. The first request is issued immediately, the next after one
// to two retry ticks, then one per tick; after cfg.arp_retries of them the slot is dropped:
// ev_timeout, timeout_ip. ev_resolved: a frame was sent.
// Memory: SLOTS * SLOT_BYTES, block RAM.
`include "kumi_assert.svh"
module kumi_arp_pending_queue
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W      = 64,    // bits of a beat
    parameter int SLOTS       = 4,     // a power of two, 2..16
    parameter int SLOT_BYTES  = 2048,  // a power of two
    parameter int PER_ADDRESS = 2      // slots per address
) (
    input  logic                        clk,
    input  logic                        rst,
    input  ip_cfg_t                     cfg,
    input  logic                        tick_retry,
    input  logic                        learned,
    input  logic                        q_en,
    input  logic    [             31:0] q_ip,
    output logic                        q_match,
    output logic                        q_room,
    input  logic                        q_take,
    input  logic                        q_vlan_valid,
    input  logic    [             15:0] q_vlan_tci,
    output logic    [$clog2(SLOTS)-1:0] q_slot,
    input  logic    [       DATA_W-1:0] f_data,
    input  logic    [     DATA_W/8-1:0] f_keep,
    input  logic                        f_valid,
    input  logic                        f_last,
    input  logic                        f_bad,
    input  logic    [$clog2(SLOTS)-1:0] f_slot,
    output logic                        poll_valid,
    output logic    [             31:0] poll_ip,
    output logic                        poll_vlan_valid,
    output logic    [             15:0] poll_vlan_tci,
    output logic                        poll_due,
    output logic                        poll_expired,
    input  logic                        poll_done,
    input  logic                        poll_hit,
    input  logic                        poll_asked,
    input  logic    [             47:0] poll_mac,
    output logic    [       DATA_W-1:0] m_data,
    output logic    [     DATA_W/8-1:0] m_keep,
    output logic                        m_valid,
    input  logic                        m_ready,
    output logic                        m_last,
    output logic                        ev_timeout,
    output logic    [             31:0] timeout_ip,
    output logic                        ev_resolved,
    output logic                        active
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  localparam int SW = $clog2(SLOTS);
  localparam int BEATS = SLOT_BYTES / B;
  localparam int AW = $clog2(BEATS);

  if (SLOTS < 2 || SLOTS > 16 || (SLOTS & (SLOTS - 1)) != 0) begin : gen_check_slots
    $fatal(0, "SLOTS must be 2, 4, 8 or 16 (%m)");
  end
  if (BEATS < 2 || (SLOT_BYTES & (SLOT_BYTES - 1)) != 0) begin : gen_check_bytes
    $fatal(0, "SLOT_BYTES must be a power of two, at least two beats (%m)");
  end

  logic [SLOTS-1:0] used_q, full_q, due_q, look_q, match, free;
  logic [SLOTS-1:0][     31:0] ip_q;
  logic [SLOTS-1:0][     16:0] vlan_q;
  logic [SLOTS-1:0][SLOTS-1:0] after_q;  // slots that precede this one
  logic [SLOTS-1:0][      4:0] age_q;  // retry ticks
  logic [SLOTS-1:0][     AW:0] beats_q;
  logic [   SW-1:0]            sel_q;
  logic drain_q, first_q, release_sel;
  logic done_q, hit_q, asked_q, expired_q;  // the ARP engine's answer, registered
  logic [AW:0] fill_q, rd_q;
  logic [47:0] mac_q;
  logic rd_take;

  // ---- query ----------------------------------------------------------------------------------
  logic [SLOTS-1:0] same_q;  // slots with the address asked about, used or not
  logic [31:0] asked_ip_q;
  logic [SW:0] waiting;
  logic [SW-1:0] free_slot;

  always_comb begin
    waiting = '0;
    for (int i = 0; i < SLOTS; i++) begin
      match[i] = used_q[i] && same_q[i];
      waiting += (SW + 1)'(match[i]);
    end
    free_slot = '0;
    for (int i = SLOTS - 1; i >= 0; i--) if (!used_q[i]) free_slot = SW'(i);
  end

  assign q_match = match != '0;

  always_ff @(posedge clk) begin
    if (q_en) begin
      asked_ip_q <= q_ip;
      for (int i = 0; i < SLOTS; i++) same_q[i] <= ip_q[i] == q_ip;
    end
    q_room <= used_q != '1 && waiting < (SW + 1)'(PER_ADDRESS);
    q_slot <= free_slot;
  end

  // ---- slots ----------------------------------------------------------------------------------
  assign poll_valid = !drain_q && !done_q && full_q[sel_q] && after_q[sel_q] == '0
      && (due_q[sel_q] || look_q[sel_q]);
  assign poll_ip = ip_q[sel_q];
  assign {poll_vlan_valid, poll_vlan_tci} = vlan_q[sel_q];
  assign poll_due = due_q[sel_q];
  assign poll_expired = age_q[sel_q] > {1'b0, cfg.arp_retries};

  assign ev_resolved = drain_q && m_valid && m_ready && m_last;
  assign ev_timeout = done_q && !hit_q && expired_q;
  assign timeout_ip = ip_q[sel_q];
  assign release_sel = ev_resolved || ev_timeout;

  always_comb begin
    free = '0;
    if (release_sel) free[sel_q] = 1'b1;
    if (f_valid && f_last && f_bad) free[f_slot] = 1'b1;
  end

  always_ff @(posedge clk) begin
    for (int i = 0; i < SLOTS; i++) begin
      if (tick_retry && used_q[i]) begin
        // The first tick may follow the first request immediately; it does not count.
        if (age_q[i] != '0) due_q[i] <= 1'b1;
        if (age_q[i] != '1) age_q[i] <= age_q[i] + 1'b1;
      end
      if (learned || free != '0) look_q[i] <= 1'b1;
      after_q[i] <= after_q[i] & ~free;
    end

    // Fill.
    if (q_take) begin
      used_q[q_slot]  <= 1'b1;
      full_q[q_slot]  <= 1'b0;
      due_q[q_slot]   <= 1'b1;
      look_q[q_slot]  <= 1'b0;
      ip_q[q_slot]    <= asked_ip_q;
      vlan_q[q_slot]  <= {q_vlan_valid, q_vlan_tci};
      after_q[q_slot] <= match & ~free;
      age_q[q_slot]   <= '0;
    end
    if (f_valid) begin
      if (!fill_q[AW]) fill_q <= fill_q + 1'b1;
      if (f_last) begin
        fill_q <= '0;
        full_q[f_slot] <= 1'b1;
        beats_q[f_slot] <= fill_q + 1'b1;
      end
    end

    // Wait and send.
    done_q    <= poll_done;
    hit_q     <= poll_hit;
    asked_q   <= poll_asked;
    expired_q <= poll_expired;
    if (poll_done) mac_q <= poll_mac;
    if (done_q) begin
      if (hit_q) drain_q <= 1'b1;
      if (asked_q) due_q[sel_q] <= 1'b0;
      if (!learned && free == '0) look_q[sel_q] <= 1'b0;
    end
    if (!drain_q && !poll_valid && !(done_q && hit_q)) sel_q <= sel_q + 1'b1;
    if (rd_take) rd_q <= rd_q + 1'b1;
    if (m_valid && m_ready) first_q <= 1'b0;
    if (!drain_q) begin
      rd_q    <= '0;
      first_q <= 1'b1;
    end
    if (ev_resolved) drain_q <= 1'b0;
    used_q <= (used_q & ~free) | (q_take ? SLOTS'(1) << q_slot : '0);
    for (int i = 0; i < SLOTS; i++) if (free[i]) full_q[i] <= 1'b0;

    if (rst) begin
      used_q  <= '0;
      full_q  <= '0;
      sel_q   <= '0;
      drain_q <= 1'b0;
      done_q  <= 1'b0;
      fill_q  <= '0;
    end
  end

  // ---- memory ---------------------------------------------------------------------------------
  logic [BW-1:0] in_last, out_last;
  logic [DATA_W-1:0] out;

  kumi_keep_to_last #(
      .KEEP_W(B)
  ) u_in_last (
      .keep(f_keep),
      .last(in_last)
  );

  kumi_fifo_ram #(
      .W(DATA_W + BW + 1),
      .DEPTH(SLOTS * BEATS),
      .STYLE(1)
  ) u_mem (
      .wr_clk(clk),
      .wr_en(f_valid && !fill_q[AW]),
      .wr_addr({f_slot, fill_q[AW-1:0]}),
      .wr_data({f_last, in_last, f_data}),
      .clk,
      .rst,
      .rd_avail(drain_q && rd_q != beats_q[sel_q]),
      .rd_addr({sel_q, rd_q[AW-1:0]}),
      .rd_take,
      .m_data({m_last, out_last, out}),
      .m_valid,
      .m_ready
  );

  kumi_last_to_keep #(
      .KEEP_W(B)
  ) u_out_keep (
      .last(out_last),
      .keep(m_keep)
  );

  // The destination address was unknown when the frame was built.
  always_comb begin
    m_data = out;
    for (int j = 0; j < 6; j++) if (first_q) m_data[8*j+:8] = mac_q[8*(5-j)+:8];
  end

  assign active = used_q != '0;

  // No deadlock: `after` is a strict order (transitive, irreflexive) of the used slots of one
  // address.
  for (genvar i = 0; i < SLOTS; i++) begin : gen_assert
    `KUMI_ASSERT(a_full, used_q[i] || !full_q[i])
    `KUMI_ASSERT(a_after_used, !used_q[i] || (after_q[i] & ~used_q) == '0)
    `KUMI_ASSERT(a_not_itself, !used_q[i] || !after_q[i][i])
    for (genvar j = 0; j < SLOTS; j++) begin : gen_pair
      `KUMI_ASSERT(a_same_address, !(used_q[i] && after_q[i][j]) || ip_q[i] == ip_q[j])
      `KUMI_ASSERT(a_order, !(used_q[i] && after_q[i][j]) || (after_q[j] & ~after_q[i]) == '0)
      `KUMI_ASSERT(a_one_way, !(used_q[i] && after_q[i][j] && used_q[j] && after_q[j][i]))
      `KUMI_ASSERT(a_total,
                   i == j || !(used_q[i] && used_q[j] && ip_q[i] == ip_q[j])
                   || after_q[i][j] || after_q[j][i])
    end
  end
  // A frame sent is complete and the oldest for its address.
  `KUMI_ASSERT(a_answer, !done_q || (!drain_q && full_q[sel_q] && after_q[sel_q] == '0))
  `KUMI_ASSERT(a_drain, !drain_q || (used_q[sel_q] && full_q[sel_q] && after_q[sel_q] == '0))
  `KUMI_COVER(c_two_wait, after_q != '0 && &full_q)
  `KUMI_COVER(c_leaves, ev_resolved)
  `KUMI_COVER(c_timeout, ev_timeout)

  logic unused;
  assign unused = &cfg;
endmodule
