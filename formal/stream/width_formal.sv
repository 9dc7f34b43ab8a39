// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axis_width: bytes are conserved and in order, frames end where they ended,
// and the output keeps the stream rules.
//
// A chunk is what fits the narrow side. One chunk is picked when it goes in, with its place among
// all that are inside; when it comes out it must be unchanged, at its turn, and be the last of its
// frame exactly if it was. So nothing is lost, duplicated, mixed, or truncated.
`include "kumi_assert.svh"
module width_formal #(
    parameter int S_W = 8,
    parameter int M_W = 16
) (
    input logic             clk,
    input logic             rst,
    input logic [  S_W-1:0] s_data,
    input logic [S_W/8-1:0] s_keep,
    input logic             s_valid,
    input logic             s_last,
    input logic             s_user,
    input logic             m_ready,
    input logic             pick,
    input logic [      7:0] pick_lane
);
  localparam int N_W = S_W < M_W ? S_W : M_W;
  localparam int NK_W = N_W / 8;
  localparam int RATIO = S_W < M_W ? M_W / S_W : S_W / M_W;
  localparam int S_LANES = S_W / N_W;
  localparam int M_LANES = M_W / N_W;
  localparam int CNT_W = $clog2(RATIO + 3) + 1;
  typedef logic [CNT_W-1:0] count_t;
  typedef struct packed {
    logic user;
    logic last;
    logic [NK_W-1:0] keep;
    logic [N_W-1:0] data;
  } chunk_t;

  kumi_axis_if #(.DATA_W(S_W)) s_axis ();
  kumi_axis_if #(.DATA_W(M_W)) m_axis ();
  assign s_axis.tdata  = s_data;
  assign s_axis.tkeep  = s_keep;
  assign s_axis.tvalid = s_valid;
  assign s_axis.tlast  = s_last;
  assign s_axis.tuser  = s_user;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign m_axis.tready = m_ready;

  kumi_axis_width u_dut (
      .clk,
      .rst,
      .s_axis(s_axis),
      .m_axis(m_axis)
  );
  kumi_axis_props #(
      .ASSUME(1'b1)
  ) u_in (
      .clk,
      .rst,
      .axis(s_axis)
  );
  kumi_axis_props u_out (
      .clk,
      .rst,
      .axis(m_axis)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // Chunks of a beat, and how many.
  function automatic chunk_t make(input logic user, input logic last, input logic [NK_W-1:0] keep,
                                  input logic [N_W-1:0] data);
    return {user, last, keep, data};
  endfunction
  function automatic logic rules(input chunk_t c);
    return c.keep[0] && (c.keep & (c.keep + 1'b1)) == '0 && (c.last || &c.keep);
  endfunction

  chunk_t in_chunk [S_LANES];
  chunk_t out_chunk[M_LANES];
  count_t in_lanes, out_lanes;
  always_comb begin
    in_lanes  = '0;
    out_lanes = '0;
    for (int i = 0; i < S_LANES; i++) in_lanes = in_lanes + count_t'(s_axis.tkeep[i*NK_W]);
    for (int i = 0; i < M_LANES; i++) out_lanes = out_lanes + count_t'(m_axis.tkeep[i*NK_W]);
    for (int i = 0; i < S_LANES; i++) begin
      in_chunk[i] = make(
        s_axis.tuser,
        s_axis.tlast && count_t'(i + 1) == in_lanes,
        s_axis.tkeep[i*NK_W+:NK_W],
        s_axis.tdata[i*N_W+:N_W]
      );
    end
    for (int i = 0; i < M_LANES; i++) begin
      out_chunk[i] = make(
        m_axis.tuser,
        m_axis.tlast && count_t'(i + 1) == out_lanes,
        m_axis.tkeep[i*NK_W+:NK_W],
        m_axis.tdata[i*N_W+:N_W]
      );
    end
  end

  logic push, pop;
  assign push = s_axis.tvalid && s_axis.tready;
  assign pop  = m_axis.tvalid && m_axis.tready;

  // What is inside, oldest first: `present` chunks; stored(n) is chunk n of them, from 1.
  localparam int PLACES = RATIO + 2;
  chunk_t store[PLACES];
  count_t present;
  logic sound;  // the state keeps the rules of a stream

  count_t ahead_q;
  chunk_t chunk_q, stored, leaving;
  logic tracked_q, leaves;

  always_comb begin
    stored  = '0;
    leaving = '0;
    for (int i = 0; i < PLACES; i++) if (ahead_q == count_t'(i + 1)) stored = store[i];
    for (int i = 0; i < M_LANES; i++) if (ahead_q == count_t'(i + 1)) leaving = out_chunk[i];
  end
  assign leaves = m_axis.tvalid && ahead_q <= out_lanes;

  always_ff @(posedge clk) begin
    if (tracked_q) begin
      if (pop) ahead_q <= ahead_q - out_lanes;
      if (pop && leaves) tracked_q <= 1'b0;
    end else if (push && pick && count_t'(pick_lane) < in_lanes) begin
      tracked_q <= 1'b1;
      for (int i = 0; i < S_LANES; i++) begin
        if (count_t'(pick_lane) == count_t'(i)) chunk_q <= in_chunk[i];
      end
      ahead_q <= present - (pop ? out_lanes : '0) + count_t'(pick_lane) + 1'b1;
    end
    if (rst) tracked_q <= 1'b0;
  end

  function automatic logic same(input chunk_t a, input chunk_t b);
    return a.data == b.data && a.keep == b.keep && a.last == b.last && (!a.last || a.user == b.user);
  endfunction
  `KUMI_ASSERT(a_order, !(tracked_q && leaves) || same(leaving, chunk_q))
  `KUMI_ASSERT(i_stored, !tracked_q || same(stored, chunk_q))
  `KUMI_ASSERT(i_ahead, !tracked_q || (ahead_q >= 1 && ahead_q <= present))
  `KUMI_ASSERT(i_sound, sound)

  if (S_W < M_W) begin : gen_up
    count_t gathered;
    always_comb begin
      gathered = count_t'(u_dut.gen_up.lane_q);
      if (u_dut.gen_up.full_q) gathered = out_lanes;
      present = gathered + count_t'(u_dut.gen_up.valid)
          + count_t'(u_dut.gen_up.u_slice.gen_skid.skid_valid_q);
      sound = !u_dut.gen_up.full_q || (u_dut.gen_up.lane_q == '0 && out_lanes != '0
          && (u_dut.gen_up.last_q || out_lanes == count_t'(RATIO)));
      for (int i = 0; i < PLACES; i++) begin
        store[i] = '0;
        if (i < RATIO && count_t'(i) < gathered) begin
          store[i] = make(
            u_dut.gen_up.side_q[0],
            u_dut.gen_up.full_q && u_dut.gen_up.last_q && count_t'(i + 1) == gathered,
            u_dut.gen_up.keep_q[i%RATIO],
            u_dut.gen_up.data_q[i%RATIO]
          );
          sound = sound && rules(store[i]);
        end else if (i < RATIO && (gathered != '0 || u_dut.gen_up.full_q)) begin
          sound = sound && u_dut.gen_up.keep_q[i%RATIO] == '0;
        end
        if (count_t'(i) == gathered) begin
          {store[i].user, store[i].last, store[i].keep, store[i].data} = {
            u_dut.gen_up.side[0], u_dut.gen_up.last, u_dut.gen_up.keep, u_dut.gen_up.data
          };
          sound = sound && (!u_dut.gen_up.valid || rules(store[i]));
        end
        if (count_t'(i) == gathered + 1'b1) begin
          store[i] = u_dut.gen_up.u_slice.gen_skid.skid_q[$bits(chunk_t)-1:0];
          sound = sound && (!u_dut.gen_up.u_slice.gen_skid.skid_valid_q || rules(store[i]));
        end
      end
      sound = sound && (u_dut.gen_up.valid || !u_dut.gen_up.u_slice.gen_skid.skid_valid_q);
      sound = sound && 32'(u_dut.gen_up.lane_q) < RATIO;
    end
  end else begin : gen_down
    // Lanes of the wide register from lane_q on, as long as they hold a byte.
    count_t sliced, held, lane;
    always_comb begin
      lane   = count_t'(u_dut.gen_down.lane_q);
      sliced = count_t'(m_axis.tvalid) + count_t'(u_dut.gen_down.u_slice.gen_skid.skid_valid_q);
      held   = '0;
      sound  = m_axis.tvalid || !u_dut.gen_down.u_slice.gen_skid.skid_valid_q;
      for (int l = 0; l < RATIO; l++) begin
        if (u_dut.gen_down.valid_q && count_t'(l) >= lane) begin
          held = held + count_t'(u_dut.gen_down.keep_q[l][0]);
        end
      end
      present = sliced + held;
      for (int i = 0; i < PLACES; i++) begin
        store[i] = '0;
        if (i == 0) store[i] = out_chunk[0];
        if (i == 1) store[i] = u_dut.gen_down.u_slice.gen_skid.skid_q[$bits(chunk_t)-1:0];
        for (int l = 0; l < RATIO; l++) begin
          if (count_t'(l) >= lane && count_t'(i) == sliced + count_t'(l) - lane) begin
            store[i] = make(
              u_dut.gen_down.side_q[0],
              u_dut.gen_down.last_q && count_t'(i + 1) == present,
              u_dut.gen_down.keep_q[l],
              u_dut.gen_down.data_q[l]
            );
          end
        end
        sound = sound && (count_t'(i) >= present || rules(store[i]));
      end
      // Lanes are filled from the bottom, the present one holds a byte, and more_q knows the rest.
      if (u_dut.gen_down.valid_q) begin
        sound = sound && 32'(lane) < RATIO && held != '0;
        for (int l = 1; l < RATIO; l++) begin
          sound = sound && (u_dut.gen_down.keep_q[l-1][0] || !u_dut.gen_down.keep_q[l][0]);
          if (count_t'(l) > lane) begin
            sound = sound && u_dut.gen_down.more_q[count_t'(l)-lane-1] == u_dut.gen_down.keep_q[l][0];
          end
        end
        for (int i = 0; i < RATIO; i++) begin
          if (count_t'(i) + lane >= count_t'(RATIO - 1)) sound = sound && !u_dut.gen_down.more_q[i];
        end
      end
    end
  end

  // The narrow side moves a beat a cycle, through the ends of frames.
  logic [2:0] run_q;
  always_ff @(posedge clk) run_q <= rst || !(S_W < M_W ? push : pop) ? 3'd0 : run_q + 3'd1;
  `KUMI_COVER(c_rate, run_q == 3'd7)
  logic [1:0] frames_q;
  always_ff @(posedge clk) begin
    if (rst) frames_q <= 2'd0;
    else if (pop && m_axis.tlast && frames_q != 2'd3) frames_q <= frames_q + 2'd1;
  end
  `KUMI_COVER(c_frames, frames_q == 2'd3 && run_q == 3'd6)
endmodule
