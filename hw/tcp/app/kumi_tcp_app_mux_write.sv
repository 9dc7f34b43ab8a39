// SPDX-License-Identifier: Apache-2.0
//
// Write arbiter of several applications on one TCP engine.
//
// s_write, m_write, s_axis: the applications; m_eng_write, s_eng_write, m_eng_axis: the engine.
// One application at a time holds the grant. It may issue any number of requests, but after BURST
// requests, or BEATS beats, during which another one waited, it releases the grant once all frames
// of accepted writes have passed. If accepted writes of several applications were interleaved, a
// frame could wait forever for one whose data are behind it in the stream of reads.
// So an application waits at most that long for each other one, plus the time the other takes to
// send accepted frames: an application must be able to send what it asked to write, or read it from
// the engine, without waiting for another application.
// Latency 1 cycle each way; one request, one response and one beat per cycle. A change of the grant
// costs about 6 cycles, plus the time from an accepted write to its data.
module kumi_tcp_app_mux_write
  import kumi_tcp_pkg::*;
#(
    parameter int CLIENTS = 2,
    parameter int BURST   = 16,  // requests of one application while another waits
    parameter int BEATS   = 512  // beats, likewise
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_write[CLIENTS],
    kumi_rec_if.src m_write[CLIENTS],
    kumi_axis_if.snk s_axis[CLIENTS],
    kumi_rec_if.src m_eng_write,
    kumi_rec_if.snk s_eng_write,
    kumi_axis_if.src m_eng_axis,
    output logic busy
);
  localparam int UNDER_WAY = 16;  // outstanding requests, and frames not yet passed
  localparam int COUNT_W = $clog2(UNDER_WAY + 1);
  localparam int BURST_W = $clog2(BURST + 1);
  localparam int BEAT_W = m_eng_axis.DATA_W + m_eng_axis.KEEP_W + 1 + m_eng_axis.USER_W
      + m_eng_axis.ID_W + m_eng_axis.DEST_W;

  // ---- grant ----------------------------------------------------------------------------------
  logic [CLIENTS-1:0] req, grant, holder_q, allowed;
  logic [CLIENTS-1:0][WRITE_W-1:0] data;
  logic [WRITE_W-1:0] chosen;
  logic [COUNT_W-1:0] asked_q, frames_q;  // outstanding; accepted, not yet passed
  logic [BURST_W-1:0] burst_q;
  logic [$clog2(BEATS+1)-1:0] beats_q;
  logic [CLIENTS-1:0] valid;
  logic beat_ready, some;
  logic out_ready, take, idle, tired, told_take, accepted, frame_end;

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_req
    assign req[i] = s_write[i].valid;
    assign data[i] = s_write[i].data;
    assign s_write[i].ready = take && grant[i];
  end

  assign idle  = asked_q == '0 && frames_q == '0;
  // Others have waited long enough: no more requests until the grant is released.
  assign tired = |(req & ~holder_q) && (32'(burst_q) == BURST || 32'(beats_q) == BEATS);

  always_comb begin
    allowed = req;
    if (!idle) allowed = tired ? '0 : req & holder_q;
    else if (!tired && |(req & holder_q)) allowed = req & holder_q;
    else if (tired) allowed = req & ~holder_q;
  end

  assign take = |allowed && out_ready && asked_q + frames_q < COUNT_W'(UNDER_WAY);

  kumi_arbiter #(
      .N(CLIENTS)
  ) u_arbiter (
      .clk,
      .rst,
      .req (allowed),
      .done(take),
      .grant
  );

  always_comb begin
    chosen = '0;
    for (int i = 0; i < CLIENTS; i++) chosen |= data[i] & {WRITE_W{grant[i]}};
  end

  kumi_slice #(
      .W(WRITE_W),
      .MODE(2)
  ) u_out (
      .clk,
      .rst,
      .s_data (chosen),
      .s_valid(take),
      .s_ready(out_ready),
      .m_data (m_eng_write.data),
      .m_valid(m_eng_write.valid),
      .m_ready(m_eng_write.ready)
  );

  always_ff @(posedge clk) begin
    if (take && grant != holder_q || !(|(req & ~holder_q))) beats_q <= '0;
    else if (|(valid & holder_q) && some && beat_ready && 32'(beats_q) != BEATS)
      beats_q <= beats_q + 1'b1;
    if (take) begin
      holder_q <= grant;
      if (grant != holder_q) burst_q <= BURST_W'(1);
      else if (32'(burst_q) != BURST) burst_q <= burst_q + 1'b1;
    end else if (!(|(req & ~holder_q))) begin
      burst_q <= '0;  // counts from when another application waits
    end
    asked_q  <= asked_q + COUNT_W'(take) - COUNT_W'(told_take);
    frames_q <= frames_q + COUNT_W'(accepted) - COUNT_W'(frame_end);
    if (rst) begin
      holder_q <= '0;
      burst_q  <= '0;
      beats_q  <= '0;
      asked_q  <= '0;
      frames_q <= '0;
    end
  end

  // ---- responses ------------------------------------------------------------------------------
  tcp_write_rsp_t told;
  logic [CLIENTS-1:0] told_dest_q, told_ready;
  logic [WRITE_RSP_W-1:0] told_q;
  logic told_free;

  assign told = tcp_write_rsp_t'(s_eng_write.data);
  assign told_free = (told_dest_q & ~told_ready) == '0;
  assign s_eng_write.ready = told_free && asked_q != '0;
  assign told_take = s_eng_write.valid && s_eng_write.ready;
  assign accepted = told_take && told.reason == TCP_OK;

  always_ff @(posedge clk) begin
    if (told_free) begin
      told_dest_q <= told_take ? holder_q : '0;
      told_q <= s_eng_write.data;
    end
    if (rst) told_dest_q <= '0;
  end

  // ---- frames of the granted application ------------------------------------------------------
  logic [BEAT_W-1:0] beats[CLIENTS];
  logic [BEAT_W-1:0] beat;
  logic last;

  for (genvar i = 0; i < CLIENTS; i++) begin : gen_axis
    if (s_axis[i].DATA_W != m_eng_axis.DATA_W || s_axis[i].USER_W != m_eng_axis.USER_W
        || s_axis[i].ID_W != m_eng_axis.ID_W || s_axis[i].DEST_W != m_eng_axis.DEST_W)
    begin : gen_check_if
      $fatal(0, "s_axis and m_eng_axis differ in a width (%m)");
    end
    assign valid[i] = s_axis[i].tvalid;
    assign beats[i] = {
      s_axis[i].tdest,
      s_axis[i].tid,
      s_axis[i].tuser,
      s_axis[i].tlast,
      s_axis[i].tkeep,
      s_axis[i].tdata
    };
    assign s_axis[i].tready = holder_q[i] && some && beat_ready;
    assign m_write[i].valid = told_dest_q[i];
    assign m_write[i].data = told_q;
    assign told_ready[i] = m_write[i].ready;
  end

  always_comb begin
    beat = '0;
    for (int i = 0; i < CLIENTS; i++) beat |= beats[i] & {BEAT_W{holder_q[i]}};
  end
  assign some = frames_q != '0;
  assign last = beat[m_eng_axis.DATA_W+m_eng_axis.KEEP_W];
  assign frame_end = |(valid & holder_q) && some && beat_ready && last;

  kumi_slice #(
      .W(BEAT_W),
      .MODE(2)
  ) u_data (
      .clk,
      .rst,
      .s_data(beat),
      .s_valid(|(valid & holder_q) && some),
      .s_ready(beat_ready),
      .m_data({
        m_eng_axis.tdest,
        m_eng_axis.tid,
        m_eng_axis.tuser,
        m_eng_axis.tlast,
        m_eng_axis.tkeep,
        m_eng_axis.tdata
      }),
      .m_valid(m_eng_axis.tvalid),
      .m_ready(m_eng_axis.tready)
  );

  assign busy = !idle || m_eng_write.valid || told_dest_q != '0 || m_eng_axis.tvalid;

  logic unused;
  assign unused = ^told;
endmodule
