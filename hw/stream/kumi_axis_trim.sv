// SPDX-License-Identifier: Apache-2.0
//
// Truncates each frame to a length from a record stream: removes Ethernet padding behind IP
//   packets.
//
// s_len: one record per frame, the bytes to keep (s_len.W bits), accepted before or with the frame.
//   It passes a register slice, so a first beat moves at least one cycle after its record.
// s_axis, m_axis: AXI4-Stream; all parameters must be equal. The side-band of each beat is kept;
//   tuser of the last beat out is that of the last beat in, so the bad mark is not lost: the last
//   beat is held while the surplus is dropped.
// A frame shorter than its length leaves whole with tuser[0] set, and ev_short pulses. A length of
// 0 drops the frame. Equal length passes unchanged.
// Latency 2 cycles, throughput one beat a cycle. A surplus beat leaves no gap other than itself. No
// combinational path joins two ports.
module kumi_axis_trim (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_len,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_short
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int SIDE_W = s_axis.ID_W + s_axis.DEST_W;
  localparam int USER_W = s_axis.USER_W;
  localparam int LEN_W = s_len.W;
  localparam int COUNT_W = $clog2(KEEP_W + 1);

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (LEN_W < COUNT_W) begin : gen_check_len
    $fatal(0, "s_len is too narrow for one beat (%m)");
  end

  // One beat waits in hold_q until it is known whether it is the last and with which verdict.
  logic [DATA_W-1:0] data_q;
  logic [KEEP_W-1:0] keep_q, cut_keep;
  logic [SIDE_W-1:0] side_q;
  logic [USER_W-1:0] user_q;
  logic hold_q, last_q, drop_q;  // drop_q: enough bytes are held, the rest is dropped
  logic in_frame_q;
  logic [LEN_W-1:0] left_q, left, len;
  logic len_valid, len_take;
  logic [COUNT_W-1:0] wanted;
  logic beat, enough, short_end, pass, ready, offer;

  kumi_slice #(
      .W(LEN_W),
      .MODE(2)
  ) u_len (
      .clk,
      .rst,
      .s_data (s_len.data),
      .s_valid(s_len.valid),
      .s_ready(s_len.ready),
      .m_data (len),
      .m_valid(len_valid),
      .m_ready(len_take)
  );

  assign left   = in_frame_q ? left_q : len;
  assign enough = left <= LEN_W'(KEEP_W);
  assign wanted = enough ? COUNT_W'(left) : COUNT_W'(KEEP_W);

  kumi_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_keep (
      .count(wanted),
      .keep (cut_keep)
  );

  // A held beat may leave when it is known to be followed by a kept one, or when it is complete.
  assign offer = hold_q && (last_q || (!drop_q && s_axis.tvalid));
  assign pass = offer && ready;
  assign s_axis.tready = (in_frame_q || len_valid) && (!hold_q || (drop_q && !last_q) || ready);
  assign len_take = !in_frame_q && s_axis.tvalid && s_axis.tready;
  assign beat = s_axis.tvalid && s_axis.tready;
  assign short_end = s_axis.tlast && |(cut_keep & ~s_axis.tkeep |{KEEP_W{!enough}});

  always_ff @(posedge clk) begin
    ev_short <= 1'b0;
    if (pass) hold_q <= 1'b0;
    if (beat) begin
      in_frame_q <= !s_axis.tlast;
      left_q     <= enough ? '0 : left - LEN_W'(KEEP_W);
      user_q     <= s_axis.tuser;
      last_q     <= s_axis.tlast;
      if (left != '0) begin
        hold_q <= 1'b1;
        data_q <= s_axis.tdata;
        side_q <= {s_axis.tdest, s_axis.tid};
        keep_q <= s_axis.tkeep & cut_keep;
        drop_q <= enough;
        if (short_end) begin
          user_q[0] <= 1'b1;
          ev_short  <= 1'b1;
        end
      end
    end
    if (rst) begin
      hold_q     <= 1'b0;
      in_frame_q <= 1'b0;
      ev_short   <= 1'b0;
    end
  end

  kumi_slice #(
      .W(SIDE_W + USER_W + 1 + KEEP_W + DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({side_q, user_q, last_q, keep_q, data_q}),
      .s_valid(offer),
      .s_ready(ready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
