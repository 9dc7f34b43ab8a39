// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_slot_search for two devices of up to four slots in words of two bits: allocation is
// a bijection for any sequence of requests and memory errors. No slot is assigned twice without a
// release in between, none outside the device is assigned, and none is lost: a device without a free
// slot has every slot taken. A request that ends with a memory error has changed nothing, and a word
// is written only after it was read.
//
// One device and one slot are watched, chosen freely. Both levels are in memory, of which any access
// may fail. Assumed: responses are taken at once and memory answers at once (the unit only holds its
// state meanwhile). That kumi_line_cache is such a memory is proved by line_cache.
`include "kumi_assert.svh"
module slot_search_formal
  import kumi_storage_pkg::*;
(
    input logic       clk,
    input logic       rst,
    input logic       req_valid,
    input logic [2:0] op,
    input logic       device,
    input logic [2:0] slot,
    input logic       refuse,
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

  // Memory: two words of level 0 and one of level 1 per device.
  logic [1:0] words[8];  // {device, level, word}
  logic [2:0] at;
  logic mem_req, mem_we, hold, mem_level, fill, hint;
  logic [6:0] mem_device;
  logic [1:0] mem_index, mem_wdata, hint_index;
  logic [2:0] fill_count;
  assign at = {mem_device[0], mem_level, mem_index[0]};
  kumi_slot_search #(
      .PORTS (2),
      .SLOTS (4),
      .WORD_W(2)
  ) u_dut (
      .clk,
      .rst,
      .clear(1'b0),
      .s_req,
      .m_rsp,
      .mem_req,
      .mem_we,
      .hold,
      .mem_device,
      .mem_level,
      .mem_index,
      .mem_wdata,
      .mem_done(mem_req),
      .mem_bad(refuse),
      .mem_rdata(words[at]),
      .hint,
      .hint_index,
      .fill,
      .fill_count,
      .fill_done(fill),
      .fill_bad(refuse)
  );
  always_ff @(posedge clk) begin
    if (mem_we) words[at] <= mem_wdata;
    if (fill) begin  // some of it, if it fails
      words[{mem_device[0], mem_level, 1'b0}] <= 2'b11 << fill_count;
      if (!refuse)
        words[{
          mem_device[0], mem_level, 1'b1
        }] <= fill_count < 3'd3 ? 2'b11 : 2'b11 << (fill_count - 3'd2);
    end
  end

  // What is written was read, or lies below what was read.
  logic [7:0] read_now_q;
  always_ff @(posedge clk) begin
    if (m_rsp.valid) read_now_q <= '0;
    else if (mem_req && !refuse) read_now_q[at] <= 1'b1;
    if (rst) read_now_q <= '0;
  end
  `KUMI_ASSERT(a_read, !mem_we || (read_now_q[at] && hold))
  `KUMI_ASSERT(a_place,
               !(mem_req || mem_we) || (mem_index < (mem_level ? 2'd1 : 2'd2) && mem_device < 7'd2))

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
    end else if (about && op_q == SL_SIZE && rsp.bad) begin
      sized_q <= 1'b0;
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
  `KUMI_ASSERT(a_bad, !m_rsp.valid || !rsp.bad || !rsp.ok)
  `KUMI_ASSERT(a_none_lost,
               !(about && op_q == SL_CLAIM && !rsp.ok && !rsp.bad) || !there || taken_q)
  `KUMI_ASSERT(a_release,
               !(about_it && op_q == SL_RELEASE && !rsp.bad) || rsp.ok == (there && taken_q))
  `KUMI_ASSERT(
      a_set,
      !(about_it && op_q == SL_SET && slot_q < 3'd4 && !rsp.bad) || rsp.ok == (there && !taken_q))
  `KUMI_ASSERT(
      a_test,
      !(about_it && op_q == SL_TEST && slot_q < 3'd4 && !rsp.bad) || rsp.ok == (there && taken_q))
  `KUMI_ASSERT(a_size, !(about && op_q == SL_SIZE && !rsp.bad) || rsp.ok == (slot_q <= 3'd4))
  `KUMI_ASSERT(a_answer, !m_rsp.valid || asked_q)

  // Between requests: a word above says which words are full, and words say what is taken.
  logic [1:0][1:0] low;
  logic [1:0] high;
  logic [4:0] info;
  always_comb begin
    low[0] = words[{watched_q, 2'b00}];
    low[1] = words[{watched_q, 2'b01}];
    high   = words[{watched_q, 2'b10}];
    info   = u_dut.u_info.gen_lut.mem[watched_q];
  end
  logic rests;
  assign rests = u_dut.state_q == 0 && sized_q;
  `KUMI_ASSERT(i_asked, asked_q == (u_dut.state_q != 0))
  `KUMI_ASSERT(i_state, u_dut.state_q <= 4'd14)
  `KUMI_ASSERT(i_sized, u_dut.state_q != 0 || u_dut.sized_q[watched_q] == sized_q)
  `KUMI_ASSERT(i_info, !rests || info[4:2] == size_q)
  `KUMI_ASSERT(i_size, size_q <= 3'd4)
  `KUMI_ASSERT(i_next, !rests || info[1:0] == '0 || 3'(info[1:0]) < size_q)
  `KUMI_ASSERT(i_high, !rests || high == {&low[1], &low[0]})
  `KUMI_ASSERT(i_taken, !rests || low[place_q[1]][place_q[0]] == (!there || taken_q))
  `KUMI_ASSERT(i_beyond, !rests || (low | (4'hf >> (3'd4 - size_q))) == 4'hf)

  `KUMI_COVER(c_full, about && op_q == SL_CLAIM && !rsp.ok && size_q == 3'd1 && taken_q)
  `KUMI_COVER(c_bad,
              about && op_q == SL_CLAIM && rsp.bad && read_now_q[{watched_q, 2'b01}] && taken_q)
  `KUMI_COVER(c_refused, about_it && op_q == SL_RELEASE && !rsp.ok && there)
endmodule
