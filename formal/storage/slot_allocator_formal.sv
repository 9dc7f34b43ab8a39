// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_slot_allocator for two devices of up to four slots in words of two bits: allocation
// is a bijection for any sequence of requests. No slot is assigned twice without a release in
// between, none outside the device is assigned, and none is lost: a device without a free slot has
// every slot taken.
//
// One device and one slot are watched, chosen freely. Assumed: responses are taken at once (the
// unit only holds them meanwhile).
`include "kumi_assert.svh"
module slot_allocator_formal
  import kumi_storage_pkg::*;
(
    input logic       clk,
    input logic       rst,
    input logic       req_valid,
    input logic [2:0] op,
    input logic       device,
    input logic [2:0] slot,
    input logic       start_device,
    input logic [1:0] start_slot
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic watched_q;
  logic [1:0] place_q;
  always_ff @(posedge clk) begin
    if (!started_q) begin
      watched_q <= start_device;
      place_q   <= start_slot;
    end
  end

  kumi_rec_if #(.W($bits(slot_req_t))) s_req ();
  kumi_rec_if #(.W($bits(slot_rsp_t))) m_rsp ();
  slot_rsp_t rsp;
  assign rsp = m_rsp.data;
  assign s_req.data = {op, 7'd0, device, 22'd0, slot};
  assign s_req.valid = req_valid;
  assign m_rsp.ready = 1'b1;

  kumi_slot_allocator #(
      .PORTS (2),
      .SLOTS (4),
      .WORD_W(2)
  ) u_dut (
      .clk,
      .rst,
      .s_req,
      .m_rsp
  );

  // What was asked, and what is known of the watched slot and its device.
  logic [2:0] op_q, slot_q, size_q;
  logic device_q, asked_q, sized_q, taken_q, about, about_it;
  assign about    = m_rsp.valid && device_q == watched_q;
  assign about_it = about && 3'(rsp.slot) == 3'(place_q);

  always_ff @(posedge clk) begin
    if (s_req.valid && s_req.ready) begin
      op_q     <= op;
      slot_q   <= slot;
      device_q <= device;
      asked_q  <= 1'b1;
    end else if (m_rsp.valid) begin
      asked_q <= 1'b0;
    end
    if (about && op_q == SL_SIZE && rsp.ok) begin
      sized_q <= 1'b1;
      size_q  <= slot_q;
      taken_q <= 1'b0;
    end else if (about_it && rsp.ok) begin
      if (op_q == SL_CLAIM || op_q == SL_SET) taken_q <= 1'b1;
      if (op_q == SL_RELEASE) taken_q <= 1'b0;
    end
    if (rst) begin
      asked_q <= 1'b0;
      sized_q <= 1'b0;
      taken_q <= 1'b0;
      size_q  <= '0;
    end
  end

  logic there, given;
  assign there = sized_q && 3'(place_q) < size_q;
  assign given = about && op_q == SL_CLAIM && rsp.ok;
  `KUMI_ASSERT(a_once, !(given && about_it) || (there && !taken_q))
  `KUMI_ASSERT(a_there, !given || (sized_q && 3'(rsp.slot) < size_q))
  `KUMI_ASSERT(a_none_lost, !(about && op_q == SL_CLAIM && !rsp.ok) || !there || taken_q)
  `KUMI_ASSERT(a_release, !(about_it && op_q == SL_RELEASE) || rsp.ok == (there && taken_q))
  `KUMI_ASSERT(a_set,
               !(about_it && op_q == SL_SET && slot_q < 3'd4) || rsp.ok == (there && !taken_q))
  `KUMI_ASSERT(a_test,
               !(about_it && op_q == SL_TEST && slot_q < 3'd4) || rsp.ok == (there && taken_q))
  `KUMI_ASSERT(a_size, !(about && op_q == SL_SIZE) || rsp.ok == (slot_q <= 3'd4))
  `KUMI_ASSERT(a_answer, !m_rsp.valid || asked_q)

  // Between requests: a word above says which words are full, and words say what is taken.
  logic [1:0][1:0] low;
  logic [1:0] high;
  logic [4:0] info;
  always_comb begin
    low[0] = u_dut.u_low.gen_lut.mem[{watched_q, 1'b0}];
    low[1] = u_dut.u_low.gen_lut.mem[{watched_q, 1'b1}];
    high   = u_dut.gen_high.u_high.gen_lut.mem[watched_q];
    info   = u_dut.u_info.gen_lut.mem[watched_q];
  end
  logic rests;
  assign rests = u_dut.state_q == 0 && sized_q;
  `KUMI_ASSERT(i_asked, asked_q == (u_dut.state_q != 0))
  `KUMI_ASSERT(i_state, u_dut.state_q <= 4'd9)
  `KUMI_ASSERT(i_sized, u_dut.state_q != 0 || u_dut.sized_q[watched_q] == sized_q)
  `KUMI_ASSERT(i_info, !rests || info[4:2] == size_q)
  `KUMI_ASSERT(i_size, size_q <= 3'd4)
  `KUMI_ASSERT(i_high, !rests || high == {&low[1], &low[0]})
  `KUMI_ASSERT(i_taken, !rests || low[place_q[1]][place_q[0]] == (!there || taken_q))
  `KUMI_ASSERT(i_beyond, !rests || (low | (4'hf >> (3'd4 - size_q))) == 4'hf)

  `KUMI_COVER(c_full, about && op_q == SL_CLAIM && !rsp.ok && size_q == 3'd1 && taken_q)
  `KUMI_COVER(c_refused, about_it && op_q == SL_RELEASE && !rsp.ok && there)
endmodule
