// SPDX-License-Identifier: Apache-2.0
//
// Read arbiter of several applications on one TCP engine.
//
// s_read, m_read, m_axis: the applications; m_eng_read, s_eng_read, s_eng_axis: the engine.
// Requests are served round robin. Responses and frames return in the order of the requests: an
// application that does not accept them blocks those behind it, so it must request only what it can
// accept.
// Latency 1 cycle each way; one request, one response and one beat per cycle; 16 outstanding
// requests.
module kumi_tcp_app_mux_read
  import kumi_tcp_pkg::*;
#(
    parameter int CLIENTS = 2
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_read[CLIENTS],
    kumi_rec_if.src m_read[CLIENTS],
    kumi_axis_if.src m_axis[CLIENTS],
    kumi_rec_if.src m_eng_read,
    kumi_rec_if.snk s_eng_read,
    kumi_axis_if.snk s_eng_axis,
    output logic busy
);
  localparam int DEPTH = 16;
  localparam int BEAT_W = s_eng_axis.DATA_W + s_eng_axis.KEEP_W + 1 + s_eng_axis.USER_W
      + s_eng_axis.ID_W + s_eng_axis.DEST_W;

  // ---- requests -------------------------------------------------------------------------------
  logic [CLIENTS-1:0] req, grant;
  logic [CLIENTS-1:0][READ_W-1:0] data;
  logic [READ_W-1:0] chosen;
  logic out_ready, room, take;

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_req
    assign req[i] = s_read[i].valid;
    assign data[i] = s_read[i].data;
    assign s_read[i].ready = take && grant[i];
  end

  assign take = |req && out_ready && room;

  kumi_arbiter #(
      .N(CLIENTS)
  ) u_arbiter (
      .clk,
      .rst,
      .req,
      .done(take),
      .grant
  );

  always_comb begin
    chosen = '0;
    for (int i = 0; i < CLIENTS; i++) chosen |= data[i] & {READ_W{grant[i]}};
  end

  kumi_slice #(
      .W(READ_W),
      .MODE(2)
  ) u_out (
      .clk,
      .rst,
      .s_data (chosen),
      .s_valid(take),
      .s_ready(out_ready),
      .m_data (m_eng_read.data),
      .m_valid(m_eng_read.valid),
      .m_ready(m_eng_read.ready)
  );

  // ---- responses: owner, in order -------------------------------------------------------------
  tcp_read_rsp_t told;
  logic [CLIENTS-1:0] who, told_dest_q, told_ready;
  logic [ READ_RSP_W-1:0] told_q;
  logic [$clog2(DEPTH):0] who_depth;
  logic who_valid, told_free, told_take, frame_room, has_frame;

  kumi_fifo #(
      .W(CLIENTS),
      .DEPTH(DEPTH)
  ) u_who (
      .clk,
      .rst,
      .s_data (grant),
      .s_valid(take),
      .s_ready(room),
      .m_data (who),
      .m_valid(who_valid),
      .m_ready(told_take),
      .depth  (who_depth)
  );

  assign told = tcp_read_rsp_t'(s_eng_read.data);
  assign has_frame = told.length != '0;
  assign told_free = (told_dest_q & ~told_ready) == '0;
  assign s_eng_read.ready = who_valid && told_free && frame_room;
  assign told_take = s_eng_read.valid && s_eng_read.ready;

  always_ff @(posedge clk) begin
    if (told_free) begin
      told_dest_q <= told_take ? who : '0;
      told_q <= s_eng_read.data;
    end
    if (rst) told_dest_q <= '0;
  end

  // ---- frames ---------------------------------------------------------------------------------
  logic [CLIENTS-1:0] frame, dest_q, ready;
  logic [$clog2(DEPTH):0] frame_depth;
  logic [BEAT_W-1:0] beat_q;
  logic frame_valid, free, beat;

  kumi_fifo #(
      .W(CLIENTS),
      .DEPTH(DEPTH)
  ) u_frames (
      .clk,
      .rst,
      .s_data (who),
      .s_valid(told_take && has_frame),
      .s_ready(frame_room),
      .m_data (frame),
      .m_valid(frame_valid),
      .m_ready(beat && s_eng_axis.tlast),
      .depth  (frame_depth)
  );

  assign free = (dest_q & ~ready) == '0;
  assign s_eng_axis.tready = frame_valid && free;
  assign beat = s_eng_axis.tvalid && s_eng_axis.tready;

  always_ff @(posedge clk) begin
    if (free) begin
      dest_q <= beat ? frame : '0;
      beat_q <= {
        s_eng_axis.tdest,
        s_eng_axis.tid,
        s_eng_axis.tuser,
        s_eng_axis.tlast,
        s_eng_axis.tkeep,
        s_eng_axis.tdata
      };
    end
    if (rst) dest_q <= '0;
  end

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_out
    if (m_axis[i].DATA_W != s_eng_axis.DATA_W || m_axis[i].USER_W != s_eng_axis.USER_W
        || m_axis[i].ID_W != s_eng_axis.ID_W || m_axis[i].DEST_W != s_eng_axis.DEST_W)
    begin : gen_check_if
      $fatal(0, "m_axis and s_eng_axis differ in a width (%m)");
    end
    assign m_read[i].valid = told_dest_q[i];
    assign m_read[i].data = told_q;
    assign told_ready[i] = m_read[i].ready;
    assign m_axis[i].tvalid = dest_q[i];
    assign {m_axis[i].tdest, m_axis[i].tid, m_axis[i].tuser, m_axis[i].tlast, m_axis[i].tkeep,
            m_axis[i].tdata} = beat_q;
    assign ready[i] = m_axis[i].tready;
  end

  assign busy = m_eng_read.valid || who_valid || who_depth != '0 || told_dest_q != '0
      || frame_valid || frame_depth != '0 || dest_q != '0;

  logic unused;
  assign unused = ^told;
endmodule
