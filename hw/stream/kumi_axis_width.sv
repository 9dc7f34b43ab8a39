// SPDX-License-Identifier: Apache-2.0
//
// Data-width converter for an AXI stream; the wider side is an integer multiple of the narrower.
//
// s_axis, m_axis: AXI4-Stream; byte order, frame boundaries, tuser, tid and tdest are kept. USER_W,
//   ID_W and DEST_W of the two must be equal.
// Wide to narrow: every narrow beat carries the side-band of its wide beat; lanes without a kept
//   byte at the end of a frame make no beat. Narrow to wide: a wide beat carries the side-band of
//   the last narrow beat in it, and tlast closes it early. So tuser[0] with tlast keeps its
//   meaning.
// Throughput: the narrow side moves one beat a cycle without a bubble, also between frames.
//   No combinational path joins the two sides (equal widths are wires).
// Latency: 2 cycles, wide to narrow from the wide beat to its first narrow beat, narrow to wide
//   from the last narrow beat to the wide beat; 0 when the widths are equal.
// Cost: the wide register once, the narrow one twice.
module kumi_axis_width (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int S_W = s_axis.DATA_W;
  localparam int M_W = m_axis.DATA_W;
  localparam int S_KEEP_W = s_axis.KEEP_W;
  localparam int M_KEEP_W = m_axis.KEEP_W;
  localparam int SIDE_W = s_axis.USER_W + s_axis.ID_W + s_axis.DEST_W;

  if (s_axis.USER_W != m_axis.USER_W || s_axis.ID_W != m_axis.ID_W
      || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_side
    $fatal(0, "s_axis and m_axis differ in a side-band width (%m)");
  end
  if (S_W % M_W != 0 && M_W % S_W != 0) begin : gen_check_ratio
    $fatal(0, "one DATA_W must be a multiple of the other (%m)");
  end

  if (S_W == M_W) begin : gen_equal
    logic unused;
    assign unused        = &{clk, rst};
    assign m_axis.tdata  = s_axis.tdata;
    assign m_axis.tkeep  = s_axis.tkeep;
    assign m_axis.tlast  = s_axis.tlast;
    assign m_axis.tuser  = s_axis.tuser;
    assign m_axis.tid    = s_axis.tid;
    assign m_axis.tdest  = s_axis.tdest;
    assign m_axis.tvalid = s_axis.tvalid;
    assign s_axis.tready = m_axis.tready;
  end else if (S_W > M_W) begin : gen_down
    // A wide register, of which one lane after the other goes to a narrow register slice.
    localparam int RATIO = S_W / M_W;
    localparam int LANE_W = $clog2(RATIO);
    logic [RATIO-1:0][M_W-1:0] data_q;
    logic [RATIO-1:0][M_KEEP_W-1:0] keep_q;
    logic [SIDE_W-1:0] side_q;
    logic [LANE_W-1:0] lane_q;
    logic [RATIO-1:0] more_q, more;  // bit 0: a lane behind this one holds a byte
    logic last_q, valid_q;
    logic done, ready;

    for (genvar i = 0; i < RATIO; i++) begin : gen_more
      assign more[i] = i < RATIO - 1 && s_axis.tkeep[((i+1)%RATIO)*M_KEEP_W];
    end
    assign done = !more_q[0];
    assign s_axis.tready = !valid_q || (done && ready);

    always_ff @(posedge clk) begin
      if (s_axis.tready) begin
        data_q  <= s_axis.tdata;
        keep_q  <= s_axis.tkeep;
        side_q  <= {s_axis.tdest, s_axis.tid, s_axis.tuser};
        last_q  <= s_axis.tlast;
        valid_q <= s_axis.tvalid;
        more_q  <= more;
        lane_q  <= '0;
      end else if (ready) begin
        more_q <= more_q >> 1;
        lane_q <= lane_q + 1'b1;
      end
      if (rst) valid_q <= 1'b0;
    end

    kumi_slice #(
        .W(SIDE_W + 1 + M_KEEP_W + M_W),
        .MODE(2)
    ) u_slice (
        .clk,
        .rst,
        .s_data({side_q, last_q && done, keep_q[lane_q], data_q[lane_q]}),
        .s_valid(valid_q),
        .s_ready(ready),
        .m_data({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
        .m_valid(m_axis.tvalid),
        .m_ready(m_axis.tready)
    );
  end else begin : gen_up
    // A narrow register slice feeds a wide register that fills lane by lane.
    localparam int RATIO = M_W / S_W;
    localparam int LANE_W = $clog2(RATIO);

    logic [S_W-1:0] data;
    logic [S_KEEP_W-1:0] keep;
    logic [SIDE_W-1:0] side;
    logic last, valid, ready;

    kumi_slice #(
        .W(SIDE_W + 1 + S_KEEP_W + S_W),
        .MODE(2)
    ) u_slice (
        .clk,
        .rst,
        .s_data({s_axis.tdest, s_axis.tid, s_axis.tuser, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
        .s_valid(s_axis.tvalid),
        .s_ready(s_axis.tready),
        .m_data({side, last, keep, data}),
        .m_valid(valid),
        .m_ready(ready)
    );

    logic [RATIO-1:0][S_W-1:0] data_q;
    logic [RATIO-1:0][S_KEEP_W-1:0] keep_q;
    logic [SIDE_W-1:0] side_q;
    logic [LANE_W-1:0] lane_q;
    logic last_q, full_q, move;

    assign ready = !full_q || m_axis.tready;
    assign move  = valid && ready;

    always_ff @(posedge clk) begin
      if (m_axis.tready) full_q <= 1'b0;
      if (move) begin
        for (int i = 0; i < RATIO; i++) begin
          if (lane_q == LANE_W'(i)) begin
            data_q[i] <= data;
            keep_q[i] <= keep;
          end else if (lane_q == '0) begin
            keep_q[i] <= '0;
          end
        end
        side_q <= side;
        last_q <= last;
        lane_q <= lane_q + 1'b1;
        if (last || lane_q == LANE_W'(RATIO - 1)) begin
          lane_q <= '0;
          full_q <= 1'b1;
        end
      end
      if (rst) begin
        full_q <= 1'b0;
        lane_q <= '0;
      end
    end

    assign m_axis.tdata = data_q;
    assign m_axis.tkeep = keep_q;
    assign {m_axis.tdest, m_axis.tid, m_axis.tuser} = side_q;
    assign m_axis.tlast = last_q;
    assign m_axis.tvalid = full_q;
  end
endmodule
