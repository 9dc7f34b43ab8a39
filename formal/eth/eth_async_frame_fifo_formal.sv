// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_eth_async_frame_fifo (STORE = 1) with two clocks that have no relation: in every step
// of the proof either clock, both or neither may rise (multiclock).
//
// Assumed of the writer: the contract in the module's header (w_last ends the words of a frame, a
// good frame has one, w_meta is stable in a frame). Reset and synchronisers are as in async_formal.
// One word is picked when it goes in. If its frame is taken back or lost, the pick is forgotten;
// if not, it comes out once, unchanged, with its last flag and its frame's side-band. A frame is
// shown only after its commit, and read without a gap.
module eth_async_frame_fifo_formal #(
    parameter bit DROP = 1
) (
    input logic w_clk,
    input logic m_clk,
    input logic w_en,
    input logic w_last,
    input logic w_commit,
    input logic w_bad,
    input logic w_meta,
    input logic [1:0] w_data,
    input logic m_ready,
    input logic pick
);
  localparam int DEPTH = 4;
  localparam int FRAMES = 4;
  typedef logic [2:0] pointer_t;
  localparam pointer_t FULL = 3'd4;

  logic rst, w_ready, w_lost, m_last, m_bad, m_meta, m_valid, m_count;
  logic [15:0] m_data;

  kumi_eth_async_frame_fifo #(
      .DATA_W(16),
      .META_W(1),
      .DEPTH (DEPTH),
      .FRAMES(FRAMES),
      .STORE (1'b1),
      .DROP  (DROP)
  ) u_dut (
      .w_clk,
      .w_rst  (rst),
      .w_en,
      .w_ready,
      .w_data ({14'd0, w_data}),
      .w_count(1'b0),
      .w_last,
      .w_commit,
      .w_bad,
      .w_meta,
      .w_lost,
      .m_clk,
      .m_rst  (rst),
      .m_data,
      .m_count,
      .m_last,
      .m_bad,
      .m_meta,
      .m_valid,
      .m_ready
  );

  // Reset.
  logic w_first_q = 1'b0, m_first_q = 1'b0;
  logic [2:0] w_edges_q = 3'd0, m_edges_q = 3'd0;
  always_ff @(posedge w_clk) begin
    w_first_q <= 1'b1;
    if (m_first_q && w_edges_q != 3'd4) w_edges_q <= w_edges_q + 3'd1;
  end
  always_ff @(posedge m_clk) begin
    m_first_q <= 1'b1;
    if (w_first_q && m_edges_q != 3'd4) m_edges_q <= m_edges_q + 3'd1;
  end
  assign rst = w_edges_q != 3'd4 || m_edges_q != 3'd4;

  function automatic pointer_t gray(input pointer_t x);
    return x ^ (x >> 1);
  endfunction
  function automatic pointer_t binary(input pointer_t g);
    return {g[2], g[2] ^ g[1], g[2] ^ g[1] ^ g[0]};
  endfunction

  // The writer's contract. closed_q: the last word of the frame is in; part_q: some word is.
  logic closed_q = 1'b0, part_q = 1'b0, meta_q;
  logic step, act;
  assign step = w_en && w_ready;
  assign act  = w_commit && (!w_en || w_ready);
  always_ff @(posedge w_clk) begin
    if (!rst) begin
      if (act) {closed_q, part_q} <= 2'b00;
      else if (step) {closed_q, part_q} <= {w_last, 1'b1};
      if (step && !part_q) meta_q <= w_meta;
    end
  end
  always_comb begin
    assume (!(w_en && closed_q));
    assume (!w_commit || w_bad || closed_q || (w_en && w_last));
    assume (!part_q || w_meta == meta_q);
    assume (!rst || (!w_en && !w_commit));
  end

  // Pointers and their copies on the way.
  pointer_t wr, start, rd, frames, out, begun, endp;
  pointer_t rd_1, rd_2, rd_3, out_1, out_2, out_3, pub_1, pub_2;
  assign wr     = u_dut.wr_q;
  assign start  = u_dut.start_q;
  assign rd     = u_dut.rd_q;
  assign frames = u_dut.frames_q;
  assign out    = u_dut.out_q;
  assign begun  = u_dut.gen_ends.begun_q;
  assign endp   = u_dut.gen_ends.end_q;
  assign rd_1   = binary(u_dut.u_sync_rd.sync_q[0]);
  assign rd_2   = binary(u_dut.u_sync_rd.sync_q[1]);
  assign rd_3   = u_dut.free_q;
  assign out_1  = binary(u_dut.u_sync_out.sync_q[0]);
  assign out_2  = binary(u_dut.u_sync_out.sync_q[1]);
  assign out_3  = u_dut.gone_q;
  assign pub_1  = binary(u_dut.u_sync_pub.sync_q[0]);
  assign pub_2  = binary(u_dut.u_sync_pub.sync_q[1]);

  // Where the frames inside end, the one that is read first.
  pointer_t ends[FRAMES];
  for (genvar k = 0; k < FRAMES; k++) begin : gen_end
    logic [1:0] slot;
    assign slot = begun[1:0] + 2'(k);
    assign ends[k] = u_dut.gen_ends.ends[slot];
  end
  pointer_t queued;  // frames committed and not begun
  assign queued = frames - begun;

  logic lost;
  if (DROP) begin : gen_lost
    assign lost = u_dut.gen_drop.lost_q;
  end else begin : gen_none
    assign lost = 1'b0;
  end

  // The picked word.
  logic picked_q = 1'b0, sure_q = 1'b0, at_out_q = 1'b0, gone_q = 1'b0;
  pointer_t place_q, frame_q;
  logic [1:0] word_q;
  logic last_q, side_q, fetched_q = 1'b0;
  logic fetch;
  assign fetch = picked_q && sure_q && !fetched_q && u_dut.take && rd == place_q;
  always_ff @(posedge w_clk) begin
    if (!rst) begin
      if (!picked_q && pick && u_dut.push) begin
        picked_q <= !act || u_dut.commit;
        sure_q   <= u_dut.commit;
        place_q  <= wr;
        frame_q  <= frames;
        word_q   <= w_data;
        last_q   <= w_last;
        side_q   <= w_meta;
      end else if (picked_q && !sure_q && act) begin
        picked_q <= u_dut.commit;
        sure_q   <= u_dut.commit;
      end
    end
  end
  always_ff @(posedge m_clk) begin
    if (!rst) begin
      if (fetch) {fetched_q, at_out_q} <= 2'b11;
      else if (at_out_q && m_ready) {at_out_q, gone_q} <= 2'b01;
    end
  end

  pointer_t wr_step, rd_step, out_step;
  assign wr_step  = gray(u_dut.pub_next) ^ u_dut.pub_gray_q;
  assign rd_step  = gray(u_dut.rd_next) ^ u_dut.rd_gray_q;
  assign out_step = gray(u_dut.out_next) ^ u_dut.out_gray_q;

  logic order, flags, between;
  always_comb begin
    {order, flags, between} = '1;
    if (!rst) begin
      // What is proved.
      a_word :
      assert (!at_out_q || (m_valid && m_data == {14'd0, word_q} && m_last == last_q
              && m_meta == side_q && out == frame_q));
      a_once : assert (!gone_q || (fetched_q && !at_out_q));
      a_room : assert (pointer_t'(wr - rd) <= FULL && pointer_t'(frames - out) <= FULL);
      a_whole :
      assert (pointer_t'(endp - rd) <= pointer_t'(start - rd));  // reads committed words only
      a_no_gap : assert (rd == endp || u_dut.avail);
      a_gray_pub : assert ((wr_step & (wr_step - 1'b1)) == '0);
      a_gray_rd : assert ((rd_step & (rd_step - 1'b1)) == '0);
      a_gray_out : assert ((out_step & (out_step - 1'b1)) == '0);
      a_drop : assert (!DROP || w_ready);

      // What makes the induction close.
      i_gray :
      assert (u_dut.pub_q == frames && u_dut.pub_gray_q == gray(
          frames
      ) && u_dut.rd_gray_q == gray(
          rd
      ) && u_dut.out_gray_q == gray(
          out
      ) && u_dut.gen_ends.begun_gray_q == gray(
          begun
      ));
      i_start : assert (pointer_t'(start - rd) <= pointer_t'(wr - rd));
      i_part : assert (part_q || wr == start);
      i_closed : assert ((part_q || !closed_q) && (!part_q || lost || wr != start));
      i_slot : assert (!part_q || lost || pointer_t'(frames - out_3) < FULL);
      i_lost : assert (!lost || (DROP && part_q));
      i_rd :
      assert (pointer_t'(wr - rd_1) >= pointer_t'(wr - rd)
              && pointer_t'(wr - rd_2) >= pointer_t'(wr - rd_1)
              && pointer_t'(wr - rd_3) >= pointer_t'(wr - rd_2) && pointer_t'(wr - rd_3) <= FULL);
      i_start_3 : assert (pointer_t'(wr - start) <= pointer_t'(wr - rd));
      i_out :
      assert (pointer_t'(frames - out_1) >= pointer_t'(frames - out)
              && pointer_t'(frames - out_2) >= pointer_t'(frames - out_1)
              && pointer_t'(frames - out_3) >= pointer_t'(frames - out_2)
              && pointer_t'(frames - out_3) <= FULL);
      i_pub :
      assert (pointer_t'(pub_2 - begun) <= pointer_t'(pub_1 - begun)
              && pointer_t'(pub_1 - begun) <= queued && queued <= FULL);
      i_begun : assert (begun == pointer_t'(out + pointer_t'(m_valid || rd != endp)));
      i_last : assert (!m_valid || m_last == (rd == endp));
      i_none : assert (queued != '0 || endp == start);
      for (int k = 0; k < FRAMES; k++) begin
        if (pointer_t'(k) < queued) begin
          order &= pointer_t'(ends[k] - rd) > pointer_t'((k == 0 ? endp : ends[k==0?0 : k-1]) - rd);
          order &= pointer_t'(ends[k] - rd) <= pointer_t'(start - rd);
          order &= pointer_t'(k + 1) != queued || ends[k] == start;
        end
      end
      // Last flags are where the frames end, and at the end of a closed one.
      for (int j = 0; j < DEPTH; j++) begin
        pointer_t p;
        logic e;
        p = rd + pointer_t'(j);
        e = pointer_t'(p + 1'b1) == endp;
        for (int k = 0; k < FRAMES; k++) begin
          if (pointer_t'(k) < queued && pointer_t'(p + 1'b1) == ends[k]) e = 1'b1;
        end
        if (pointer_t'(j) < pointer_t'(start - rd)) begin
          flags &= u_dut.u_mem.gen_lut.mem[p[1:0]][17] == e;
        end else if (pointer_t'(j) < pointer_t'(wr - rd)) begin
          flags &= u_dut.u_mem.gen_lut.mem[p[1:0]][17]
              == (closed_q && !lost && pointer_t'(p + 1'b1) == wr);
        end
      end
      i_order : assert (order);
      i_flags : assert (flags);
      // The pick.
      i_pick :
      assert ((picked_q || (!sure_q && !fetched_q)) && (sure_q || !fetched_q)
              && (fetched_q || (!at_out_q && !gone_q)) && (!fetched_q || at_out_q != gone_q));
      if (picked_q && !fetched_q) begin
        i_place :
        assert (sure_q ? pointer_t'(place_q - rd) < pointer_t'(start - rd)
                : pointer_t'(place_q - start) < pointer_t'(wr - start));
        i_frame :
        assert (sure_q ? pointer_t'(frame_q - out) < pointer_t'(frames - out) : frame_q == frames);
        i_stored : assert (u_dut.u_mem.gen_lut.mem[place_q[1:0]] == {last_q, 15'd0, word_q});
        i_side : assert (u_dut.meta[frame_q[1:0]] == side_q && (sure_q || side_q == meta_q));
        // Its frame ends behind it, the frame before not.
        if (sure_q && frame_q == out && begun != out) begin
          i_first : assert (pointer_t'(place_q - rd) < pointer_t'(endp - rd));
        end
        for (int k = 0; k < FRAMES; k++) begin
          if (sure_q && pointer_t'(k) < queued
              && frame_q == pointer_t'(begun + pointer_t'(k))) begin
            between &= pointer_t'(place_q - rd) < pointer_t'(ends[k] - rd);
            between &= pointer_t'(place_q - rd)
                >= pointer_t'((k == 0 ? endp : ends[k == 0 ? 0 : k - 1]) - rd);
          end
        end
        i_between : assert (between);
      end
      if (at_out_q) i_shown : assert (u_dut.meta[frame_q[1:0]] == side_q && frame_q == out);
    end else begin
      i_w_reset :
      assert (!w_first_q || (wr == '0 && start == '0 && frames == '0 && u_dut.pub_q == '0
              && u_dut.pub_gray_q == '0 && !lost && rd_3 == '0 && out_3 == '0));
      i_m_reset :
      assert (!m_first_q || (rd == '0 && out == '0 && begun == '0 && endp == '0 && !m_valid
              && u_dut.rd_gray_q == '0 && u_dut.out_gray_q == '0
              && u_dut.gen_ends.begun_gray_q == '0));
      i_w_first : assert (w_edges_q == 3'd0 || (w_first_q && m_first_q));
      i_m_first : assert (m_edges_q == 3'd0 || (w_first_q && m_first_q));
      i_w_sync :
      assert ((w_edges_q < 3'd1 || (rd_1 == '0 && out_1 == '0))
              && (w_edges_q < 3'd2 || (rd_2 == '0 && out_2 == '0)));
      i_m_sync : assert ((m_edges_q < 3'd1 || pub_1 == '0) && (m_edges_q < 3'd2 || pub_2 == '0));
      i_idle :
      assert (!picked_q && !sure_q && !fetched_q && !gone_q && !at_out_q && !closed_q && !part_q);
    end
    c_gone : cover (!rst && gone_q && last_q && !word_q[0]);
    c_frames : cover (!rst && queued == 3'd2 && pub_2 == frames);
    c_lost : cover (!rst && (DROP ? w_commit && w_lost : w_en && !w_ready));
  end
endmodule
