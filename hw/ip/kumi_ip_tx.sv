// SPDX-License-Identifier: Apache-2.0
//
// Transmit side: from records and payloads of four sources to Ethernet frames without FCS. Connects
//   kumi_ip_tx_resolve, kumi_ip_tx_build, kumi_vlan_insert and kumi_arp_pending_queue.
//
// arp, udp, raw, icmp: records; *_p_*: their payloads, in the order of their records.
// m_axis: frames; tuser[0] with tlast: bad.
// Latency record to first beat 6 cycles; one beat per cycle, frames back to back.
module kumi_ip_tx
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat
    parameter int MTU        = 9000,  // bytes of an IPv4 packet
    parameter int SLOTS      = 4,     // pending frames
    parameter int SLOT_BYTES = 2048   // bytes of a pending frame
) (
    input  logic                           clk,
    input  logic                           rst,
    input  ip_cfg_t                        cfg,
    input  logic                           tick_retry,
    input  logic                           learned,
    input  ip_tx_t                         arp,
    input  logic                           arp_valid,
    output logic                           arp_ready,
    input  ip_tx_t                         udp,
    input  logic                           udp_valid,
    output logic                           udp_ready,
    input  logic            [  DATA_W-1:0] udp_p_data,
    input  logic            [DATA_W/8-1:0] udp_p_keep,
    input  logic                           udp_p_valid,
    output logic                           udp_p_ready,
    input  logic                           udp_p_last,
    input  logic                           udp_p_bad,
    input  ip_tx_t                         raw,
    input  logic                           raw_valid,
    output logic                           raw_ready,
           kumi_axis_if.snk                raw_p,
    input  ip_tx_t                         icmp,
    input  logic                           icmp_valid,
    output logic                           icmp_ready,
    input  logic            [  DATA_W-1:0] icmp_p_data,
    input  logic            [DATA_W/8-1:0] icmp_p_keep,
    input  logic                           icmp_p_valid,
    output logic                           icmp_p_ready,
    input  logic                           icmp_p_last,
    output logic                           look_en,
    output logic            [        31:0] look_ip,
    input  logic                           look_hit,
    input  logic                           look_old,
    input  logic            [        47:0] look_mac,
    output logic                           want,
    output logic            [        31:0] want_ip,
    output logic                           any_pending,
    output logic                           poll_valid,
    output logic            [        31:0] poll_ip,
    output logic                           poll_vlan_valid,
    output logic            [        15:0] poll_vlan_tci,
    output logic                           poll_due,
    output logic                           poll_expired,
    input  logic                           poll_done,
    input  logic                           poll_hit,
    input  logic                           poll_asked,
    input  logic            [        47:0] poll_mac,
           kumi_axis_if.src                m_axis,
    output logic                           ev_udp,
    output logic                           ev_raw,
    output logic                           ev_icmp,
    output logic                           ev_arp_request,
    output logic                           ev_arp_reply,
    output logic                           ev_bad,
    output logic                           ev_drop_length,
    output logic                           ev_drop_pending_full,
    output logic                           ev_drop_timeout,
    output ip_unresolved_t                 unresolved,
    output logic                           ev_pending,
    output logic                           ev_resolved,
    output logic                           ev_frame,
    output logic                           active
);
  localparam int B = DATA_W / 8;
  localparam int SLOT_W = $clog2(SLOTS);

  ip_tx_t b;
  logic b_valid, b_payload, b_one_beat, b_drop, b_too_long, b_pending, b_done, resolve_active;
  logic [SLOT_W-1:0] b_slot, q_slot;
  logic [15:0] b_total, q_vlan_tci;
  logic [16:0] b_sum;
  logic [31:0] q_ip;
  logic q_en, q_match, q_room, q_take, q_vlan_valid;

  kumi_ip_tx_resolve #(
      .MTU(MTU),
      .SLOT_BYTES(SLOT_BYTES),
      .SLOT_W(SLOT_W),
      .BEAT_BYTES(B),
      .EVERY_CYCLE(DATA_W > 256)
  ) u_resolve (
      .active(resolve_active),
      .*
  );

  // ---- payload of the current packet ----------------------------------------------------------
  logic [DATA_W-1:0] p_data;
  logic [B-1:0] p_keep;
  logic p_valid, p_ready, p_last, p_bad;

  always_comb begin
    unique case (b.kind)
      KIND_RAW: begin
        p_data  = raw_p.tdata;
        p_keep  = raw_p.tkeep;
        p_valid = raw_p.tvalid;
        p_last  = raw_p.tlast;
        p_bad   = raw_p.tuser[0];
      end
      KIND_ICMP: begin
        p_data  = icmp_p_data;
        p_keep  = icmp_p_keep;
        p_valid = icmp_p_valid;
        p_last  = icmp_p_last;
        p_bad   = 1'b0;
      end
      default: begin
        p_data  = udp_p_data;
        p_keep  = udp_p_keep;
        p_valid = udp_p_valid;
        p_last  = udp_p_last;
        p_bad   = udp_p_bad;
      end
    endcase
  end

  assign raw_p.tready = p_ready && b.kind == KIND_RAW;
  assign icmp_p_ready = p_ready && b.kind == KIND_ICMP;
  assign udp_p_ready  = p_ready && b.kind == KIND_UDP;

  // ---- frame ----------------------------------------------------------------------------------
  logic [DATA_W-1:0] b_data, f_data, pending_data;
  logic [B-1:0] b_keep, f_keep, pending_keep;
  logic b_m_valid, b_ready, b_last, b_bad;
  logic f_valid, f_ready, f_last, f_bad, f_pending;
  logic [SLOT_W-1:0] f_slot;
  logic pending_valid, pending_ready, pending_last, pending_active;

  kumi_ip_tx_build #(
      .DATA_W(DATA_W)
  ) u_build (
      .clk,
      .rst,
      .cfg,
      .t(b),
      .t_valid(b_valid),
      .t_drop(b_drop),
      .t_payload(b_payload),
      .t_one_beat(b_one_beat),
      .t_total(b_total),
      .t_sum(b_sum),
      .t_done(b_done),
      .p_data,
      .p_keep,
      .p_valid,
      .p_ready,
      .p_last,
      .p_bad,
      .m_data(b_data),
      .m_keep(b_keep),
      .m_valid(b_m_valid),
      .m_ready(b_ready),
      .m_last(b_last),
      .m_bad(b_bad)
  );

  kumi_vlan_insert #(
      .DATA_W(DATA_W),
      .SIDE_W(SLOT_W + 1)
  ) u_tag (
      .clk,
      .rst,
      .s_data(b_data),
      .s_keep(b_keep),
      .s_valid(b_m_valid),
      .s_ready(b_ready),
      .s_last(b_last),
      .s_bad(b_bad),
      .s_tagged(b.vlan_valid),
      .s_tci(b.vlan_tci),
      .s_side({b_pending, b_slot}),
      .m_data(f_data),
      .m_keep(f_keep),
      .m_valid(f_valid),
      .m_ready(f_ready),
      .m_last(f_last),
      .m_bad(f_bad),
      .m_side({f_pending, f_slot})
  );

  kumi_arp_pending_queue #(
      .DATA_W(DATA_W),
      .SLOTS(SLOTS),
      .SLOT_BYTES(SLOT_BYTES)
  ) u_pending (
      .f_valid(f_valid && f_pending),
      .m_data(pending_data),
      .m_keep(pending_keep),
      .m_valid(pending_valid),
      .m_ready(pending_ready),
      .m_last(pending_last),
      .ev_timeout(ev_drop_timeout),
      .timeout_ip(unresolved.ip),
      .active(pending_active),
      .*
  );

  // ---- output: built and pending frames, alternating ------------------------------------------
  logic out_valid_q, out_free, in_frame_q, from_pending_q, from_pending, take, take_last;
  logic [DATA_W-1:0] out_data_q;
  logic [B-1:0] out_keep_q;
  logic out_last_q, out_bad_q;

  assign out_free      = !out_valid_q || m_axis.tready;
  assign from_pending  = in_frame_q ? from_pending_q : pending_valid;
  assign pending_ready = out_free && from_pending;
  assign f_ready       = f_pending || (out_free && !from_pending);
  assign take          = out_free && (from_pending ? pending_valid : f_valid && !f_pending);
  assign take_last     = from_pending ? pending_last : f_last;

  always_ff @(posedge clk) begin
    if (out_free) begin
      out_valid_q <= take;
      out_data_q  <= from_pending ? pending_data : f_data;
      out_keep_q  <= from_pending ? pending_keep : f_keep;
      out_last_q  <= take_last;
      out_bad_q   <= !from_pending && f_bad && f_last;
    end
    if (take) begin
      in_frame_q <= !take_last;
      from_pending_q <= from_pending;
    end
    if (rst) begin
      out_valid_q <= 1'b0;
      in_frame_q  <= 1'b0;
    end
  end

  assign m_axis.tdata  = out_data_q;
  assign m_axis.tkeep  = out_keep_q;
  assign m_axis.tvalid = out_valid_q;
  assign m_axis.tlast  = out_last_q;
  assign m_axis.tuser  = m_axis.USER_W'(out_bad_q);
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = '0;

  // ---- events ---------------------------------------------------------------------------------
  logic sent;
  assign sent = b_done && !b_drop && !b_pending && !b_bad;

  always_ff @(posedge clk) begin
    ev_udp               <= sent && b.kind == KIND_UDP;
    ev_raw               <= sent && b.kind == KIND_RAW;
    ev_icmp              <= sent && b.kind == KIND_ICMP;
    ev_arp_request       <= sent && b.kind == KIND_ARP && !b.arp_reply;
    ev_arp_reply         <= sent && b.kind == KIND_ARP && b.arp_reply;
    ev_bad               <= b_done && !b_drop && b_bad;
    ev_drop_length       <= b_done && b_drop && b_too_long;
    ev_drop_pending_full <= b_done && b_drop && !b_too_long;
    ev_pending           <= b_done && !b_drop && b_pending && !b_bad;
    ev_frame             <= take && take_last;
  end

  assign unresolved.valid = ev_drop_timeout;
  assign any_pending = pending_active;
  assign active = resolve_active || f_valid || pending_active || out_valid_q;
endmodule
