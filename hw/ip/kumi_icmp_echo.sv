// SPDX-License-Identifier: Apache-2.0
//
// ICMP echo responder (RFC 792): buffers an echo request until its checksum is verified and returns
//   it as the payload of a reply with an updated checksum (RFC 1624).
//
// s_*: payload beats of requests, each accepted in its cycle; rec is stable with them. s_bad with
//   s_last: discard it.
// full: in the cycle of s_last: no space, the request is discarded (the caller counts it).
// t_*: record for the resolver (t_valid, t_ready), p_*: payload for the frame builder.
// Latency 3 cycles from last beat to record. Capacity: FIFO_BYTES of requests and 16 records.
module kumi_icmp_echo
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat
    parameter int FIFO_BYTES = 16384  // bytes of requests buffered, a power of two
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic   [  DATA_W-1:0] s_data,
    input  logic   [DATA_W/8-1:0] s_keep,
    input  logic                  s_valid,
    input  logic                  s_last,
    input  logic                  s_bad,
    input  ip_rx_t                rec,
    output logic                  full,
    output ip_tx_t                t,
    output logic                  t_valid,
    input  logic                  t_ready,
    output logic   [  DATA_W-1:0] p_data,
    output logic   [DATA_W/8-1:0] p_keep,
    output logic                  p_valid,
    input  logic                  p_ready,
    output logic                  p_last,
    output logic                  active
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  localparam int DEPTH = FIFO_BYTES / B;
  localparam int AW = $clog2(DEPTH);

  logic first_q, lost_q, no_room, rec_room, write, commit;
  logic [AW:0] wr_q, done_q, rd_q;  // write, commit and read pointers
  logic rd_take;
  logic [BW-1:0] in_last, out_last;
  logic [DATA_W-1:0] reply;
  logic [16:0] cks;

  // Type 8 becomes 0, so the checksum increases by 0x0800 (one's complement).
  assign cks = {1'b0, s_data[23:16], s_data[31:24]} + 17'h0800;

  always_comb begin
    reply = s_data;
    if (first_q) begin
      reply[7:0] = 8'd0;
      {reply[23:16], reply[31:24]} = cks[15:0] + {15'b0, cks[16]};
    end
  end

  assign no_room = wr_q[AW-1:0] == rd_q[AW-1:0] && wr_q[AW] != rd_q[AW];
  assign write   = s_valid && !lost_q && !no_room;
  assign full    = lost_q || no_room || !rec_room;
  assign commit  = s_valid && s_last && !s_bad && !full;

  always_ff @(posedge clk) begin
    if (s_valid) begin
      first_q <= s_last;
      lost_q  <= !s_last && (lost_q || no_room);
      if (s_last) wr_q <= commit ? wr_q + 1'b1 : done_q;
      else if (write) wr_q <= wr_q + 1'b1;
      if (commit) done_q <= wr_q + 1'b1;
    end
    if (rd_take) rd_q <= rd_q + 1'b1;
    if (rst) begin
      first_q <= 1'b1;
      lost_q  <= 1'b0;
      wr_q    <= '0;
      done_q  <= '0;
      rd_q    <= '0;
    end
  end

  kumi_keep_to_last #(
      .KEEP_W(B)
  ) u_in_last (
      .keep(s_keep),
      .last(in_last)
  );

  kumi_fifo_ram #(
      .W(DATA_W + BW + 1),
      .DEPTH(DEPTH),
      .STYLE(1)
  ) u_mem (
      .wr_clk(clk),
      .wr_en(write),
      .wr_addr(wr_q[AW-1:0]),
      .wr_data({s_last, in_last, reply}),
      .clk,
      .rst,
      .rd_avail(rd_q != done_q),
      .rd_addr(rd_q[AW-1:0]),
      .rd_take,
      .m_data({p_last, out_last, p_data}),
      .m_valid(p_valid),
      .m_ready(p_ready)
  );

  kumi_last_to_keep #(
      .KEEP_W(B)
  ) u_out_keep (
      .last(out_last),
      .keep(p_keep)
  );

  // ---- records --------------------------------------------------------------------------------
  logic [47:0] mac;
  logic vlan_valid;
  logic [15:0] vlan_tci, length;
  logic [31:0] ip;
  logic [ 4:0] unused_depth;

  kumi_fifo #(
      .W(113),
      .DEPTH(16),
      .STYLE(0)
  ) u_records (
      .clk,
      .rst,
      .s_data ({rec.mac, rec.vlan_valid, rec.vlan_tci, rec.ip, rec.length}),
      .s_valid(commit),
      .s_ready(rec_room),
      .m_data ({mac, vlan_valid, vlan_tci, ip, length}),
      .m_valid(t_valid),
      .m_ready(t_ready),
      .depth  (unused_depth)
  );

  always_comb begin
    t = '0;
    t.kind = KIND_ICMP;
    t.mac = mac;
    t.mac_valid = 1'b1;
    t.vlan_valid = vlan_valid;
    t.vlan_tci = vlan_tci;
    t.ip = ip;
    t.proto = PROTO_ICMP;
    t.length = length;
  end

  assign active = rd_q != done_q || t_valid || p_valid;

  logic unused;
  assign unused = &{rec, unused_depth};
endmodule
