// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axis_async_fifo with two clocks that have no relation: in every step of the
// proof either clock, both or neither may rise (multiclock).
//
// Reset is held until each side has had an edge and then three more after the other side's first:
// less than what the module asks for.
// What the proof has of metastability: a synchroniser takes the old or the new Gray pointer and
// never a mixture. Only one bit of a Gray pointer changes at an edge; that is proved here.
// One word is picked when it goes in; when its turn comes it must come out unchanged, once.
module async_formal #(
    parameter int DEPTH = 4,
    parameter int STYLE = 0
) (
    input logic       s_clk,
    input logic       m_clk,
    input logic [3:0] s_data,
    input logic       s_valid,
    input logic       m_ready,
    input logic       pick
);
  localparam int ADDR_W = $clog2(DEPTH);
  typedef logic [ADDR_W:0] pointer_t;
  localparam pointer_t FULL = pointer_t'(DEPTH);

  kumi_axis_if #(.DATA_W(8)) s_axis ();
  kumi_axis_if #(.DATA_W(8)) m_axis ();
  assign s_axis.tdata  = {4'd0, s_data};
  assign s_axis.tkeep  = 1'b1;
  assign s_axis.tvalid = s_valid;
  assign s_axis.tlast  = 1'b1;
  assign s_axis.tuser  = '0;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign m_axis.tready = m_ready;

  logic rst;
  pointer_t s_depth, m_depth;
  kumi_axis_async_fifo #(
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_dut (
      .s_clk,
      .s_rst (rst),
      .s_axis(s_axis),
      .m_clk,
      .m_rst (rst),
      .m_axis(m_axis),
      .s_depth,
      .m_depth
  );

  // Reset.
  logic s_first_q = 1'b0, m_first_q = 1'b0;
  logic [1:0] s_edges_q = 2'd0, m_edges_q = 2'd0;
  always_ff @(posedge s_clk) begin
    s_first_q <= 1'b1;
    if (m_first_q && s_edges_q != 2'd3) s_edges_q <= s_edges_q + 2'd1;
  end
  always_ff @(posedge m_clk) begin
    m_first_q <= 1'b1;
    if (s_first_q && m_edges_q != 2'd3) m_edges_q <= m_edges_q + 2'd1;
  end
  assign rst = s_edges_q != 2'd3 || m_edges_q != 2'd3;

  function automatic pointer_t gray(input pointer_t x);
    return x ^ (x >> 1);
  endfunction
  function automatic pointer_t binary(input pointer_t g);
    pointer_t x;
    x = g;
    for (int i = ADDR_W - 1; i >= 0; i--) x[i] = x[i+1] ^ g[i];
    return x;
  endfunction

  // The pointers and their copies on the way.
  pointer_t wr, rd, rd_1, rd_2, wr_1, wr_2;
  assign wr   = u_dut.wr_q;
  assign rd   = u_dut.rd_q;
  assign rd_1 = binary(u_dut.u_sync_rd.sync_q[0]);
  assign rd_2 = binary(u_dut.u_sync_rd.sync_q[1]);
  assign wr_1 = binary(u_dut.u_sync_wr.sync_q[0]);
  assign wr_2 = binary(u_dut.u_sync_wr.sync_q[1]);

  // The picked word. The reading side marks it when it fetches it and when it has gone.
  logic picked_q = 1'b0, fetched_q = 1'b0, gone_q = 1'b0, at_out_q = 1'b0;
  pointer_t place_q;
  logic [3:0] word_q;
  logic fetch, leave;
  assign fetch = picked_q && !fetched_q && u_dut.take && rd == place_q;
  assign leave = m_axis.tvalid && m_axis.tready;
  always_ff @(posedge s_clk) begin
    if (!rst && !picked_q && pick && u_dut.push) begin
      picked_q <= 1'b1;
      place_q  <= wr;
      word_q   <= s_data;
    end
  end
  always_ff @(posedge m_clk) begin
    if (!rst) begin
      if (fetch) fetched_q <= 1'b1;
      if (STYLE == 0) begin
        if (fetch) at_out_q <= 1'b1;
        else if (at_out_q && leave) begin
          at_out_q <= 1'b0;
          gone_q   <= 1'b1;
        end
      end
    end
  end

  // One bit at most of a Gray pointer changes at an edge.
  pointer_t wr_step, rd_step;
  assign wr_step = gray(u_dut.wr_next) ^ u_dut.wr_gray_q;
  assign rd_step = gray(u_dut.rd_next) ^ u_dut.rd_gray_q;

  always_comb begin
    if (!rst) begin
      // What is proved.
      a_no_overflow : assert (pointer_t'(wr - rd) <= FULL);
      a_gray_wr : assert ((wr_step & (wr_step - 1'b1)) == '0);
      a_gray_rd : assert ((rd_step & (rd_step - 1'b1)) == '0);
      a_s_depth : assert (s_depth <= FULL && s_depth >= pointer_t'(wr - rd));
      a_m_depth : assert (m_depth <= pointer_t'(wr - rd));
      a_word : assert (!at_out_q || (m_axis.tvalid && m_axis.tdata == {4'd0, word_q}));
      a_once : assert (!gone_q || (fetched_q && !at_out_q));

      // What makes the induction close: the copies lag in order.
      i_gray_wr : assert (u_dut.wr_gray_q == gray(wr));
      i_gray_rd : assert (u_dut.rd_gray_q == gray(rd));
      i_rd_1 : assert (pointer_t'(wr - rd_1) >= pointer_t'(wr - rd));
      i_rd_2 :
      assert (pointer_t'(wr - rd_2) >= pointer_t'(wr - rd_1) && pointer_t'(wr - rd_2) <= FULL);
      i_wr_1 : assert (pointer_t'(wr_1 - rd) <= pointer_t'(wr - rd));
      i_wr_2 : assert (pointer_t'(wr_2 - rd) <= pointer_t'(wr_1 - rd));
      i_full : assert (u_dut.full_q || pointer_t'(wr - rd_2) < FULL);
      i_place : assert (!picked_q || fetched_q || pointer_t'(place_q - rd) < pointer_t'(wr - rd));
      i_stored :
      assert (!picked_q || fetched_q
                         || u_dut.gen_ram.u_mem.gen_lut.mem[place_q[ADDR_W-1:0]][3:0] == word_q);
      i_flags :
      assert ((picked_q || !fetched_q) && (fetched_q || (!gone_q && !at_out_q))
                        && (!fetched_q || gone_q != at_out_q));
      i_zero :
      assert (u_dut.gen_ram.u_mem.gen_lut.mem[place_q[ADDR_W-1:0]][7:4] == 4'd0 || !picked_q || fetched_q);
    end else begin
      i_s_reset : assert (!s_first_q || (wr == '0 && u_dut.wr_gray_q == '0 && !u_dut.full_q));
      i_m_reset : assert (!m_first_q || (rd == '0 && u_dut.rd_gray_q == '0 && !m_axis.tvalid));
      i_s_first : assert (s_edges_q == 2'd0 || (s_first_q && m_first_q));
      i_m_first : assert (m_edges_q == 2'd0 || (s_first_q && m_first_q));
      i_s_sync : assert ((s_edges_q < 2'd1 || rd_1 == '0) && (s_edges_q < 2'd2 || rd_2 == '0));
      i_m_sync : assert ((m_edges_q < 2'd1 || wr_1 == '0) && (m_edges_q < 2'd2 || wr_2 == '0));
      i_none : assert (!picked_q && !fetched_q && !gone_q && !at_out_q);
    end
    c_gone : cover (!rst && gone_q);
    c_full : cover (!rst && u_dut.full_q && pointer_t'(wr - rd) == FULL);
  end
endmodule
