// SPDX-License-Identifier: Apache-2.0
//
// Assembles packets from headers and buffered payloads.
//
// s_*: a segment: header with checksum field 0, its length, bytes of payload, and sum, the one's
//   complement sum of all of it and the pseudo header. s_drop: the payload is unusable; it is
//   discarded and nothing is sent.
// p_*: payload beats; the first byte of a segment's payload is in lane s_head_len modulo beat.
// m_axis: packets. ev_sent, ev_drop: a pulse at its end.
// Latency s_* to m_axis 2 cycles. One beat per cycle, packets back to back.
module kumi_tcp_tx_assemble #(
    parameter int DATA_W = 64  // bits of a beat
) (
    input  logic                         clk,
    input  logic                         rst,
    input  logic                         s_valid,
    output logic                         s_ready,
    input  logic            [     479:0] s_head,
    input  logic            [       5:0] s_head_len,
    input  logic            [      15:0] s_len,
    input  logic            [      15:0] s_sum,
    input  logic                         s_drop,
    input  logic                         p_valid,
    output logic                         p_ready,
    input  logic            [DATA_W-1:0] p_data,
           kumi_axis_if.src              m_axis,
    output logic                         ev_sent,
    output logic                         ev_drop,
    output logic                         busy
);
  localparam int B = DATA_W / 8;
  localparam int LANE_W = $clog2(B);
  localparam int HEAD_W = DATA_W > 480 ? DATA_W : 480;

  // ---- packet under way -----------------------------------------------------------------------
  logic active_q, drop_q, load, free, step, last, with_payload;
  logic [HEAD_W-1:0] head_q;
  logic [5:0] head_left_q;  // remaining header bytes
  logic [16:0] left_q;  // remaining bytes of header and payload
  logic [15:0] check;

  assign free = !m_axis.tvalid || m_axis.tready;
  assign last = left_q <= 17'(B);
  assign with_payload = 7'(head_left_q) < 7'(B) && left_q > 17'(head_left_q);
  assign step = active_q && (free || drop_q) && (!with_payload || p_valid);
  assign p_ready = active_q && (free || drop_q) && with_payload;
  assign s_ready = !active_q || (step && last);
  assign load = s_valid && s_ready;
  assign check = ~s_sum;
  assign busy = active_q || m_axis.tvalid;

  always_ff @(posedge clk) begin
    if (step) begin
      head_q <= head_q >> DATA_W;
      head_left_q <= 7'(head_left_q) < 7'(B) ? '0 : head_left_q - 6'(B);
      left_q <= left_q - 17'(B);
      if (last) active_q <= 1'b0;
    end
    if (load) begin
      active_q <= 1'b1;
      drop_q <= s_drop;
      head_q <= HEAD_W'({s_head[479:144], check[7:0], check[15:8], s_head[127:0]});
      head_left_q <= s_head_len;
      left_q <= 17'(s_head_len) + 17'(s_len);
    end
    if (rst) active_q <= 1'b0;
  end

  // ---- beats ----------------------------------------------------------------------------------
  logic [B-1:0] keep;
  kumi_count_to_keep #(
      .KEEP_W(B)
  ) u_keep (
      .count(last ? left_q[LANE_W:0] : (LANE_W + 1)'(B)),
      .keep
  );

  always_ff @(posedge clk) begin
    if (free) m_axis.tvalid <= step && !drop_q;
    if (step && !drop_q) begin
      for (int i = 0; i < B; i++) begin
        m_axis.tdata[8*i+:8] <= 6'(i) < head_left_q ? head_q[8*i+:8] : p_data[8*i+:8];
      end
      m_axis.tkeep <= keep;
      m_axis.tlast <= last;
    end
    ev_sent <= m_axis.tvalid && m_axis.tready && m_axis.tlast;
    ev_drop <= step && last && drop_q;
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      ev_sent <= 1'b0;
      ev_drop <= 1'b0;
    end
  end

  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^s_head[143:128];
endmodule
