// SPDX-License-Identifier: Apache-2.0
//
// Sessions that wait for the kernel of kumi_http, in the order in which they asked.
//
// ask: session `id` waits, behind all others; leave: it does not any more (or never did);
//   take: it is the first and gets its turn. One of them in a cycle, while idle is high.
// head_valid, head: who is next, about 8 cycles after it came to be. waiting: how many there are.
// A session that left and asks again before its old place was reached keeps that place; no session
//   is in the queue twice, so the queue never overflows.
// After reset the memory is cleared for SESSIONS cycles.
`include "kumi_assert.svh"
module kumi_http_queue #(
    parameter  int SESSIONS = 64,               // session numbers, a power of two
    localparam int ID_W     = $clog2(SESSIONS)
) (
    input  logic            clk,
    input  logic            rst,
    input  logic            ask,
    input  logic            leave,
    input  logic            take,
    input  logic [ID_W-1:0] id,
    output logic            idle,
    output logic            head_valid,
    output logic [ID_W-1:0] head,
    output logic [  ID_W:0] waiting
);
  typedef enum logic [2:0] {
    CLEAR,
    REST,
    FRONT,
    FRONT_ID,
    READ,
    DONE
  } state_e;

  typedef enum logic [1:0] {
    ASK,
    LEAVE,
    TAKE,
    CHECK   // of the first: does it still wait?
  } op_e;

  typedef struct packed {
    logic queued;  // its number is in the queue
    logic asks;
  } place_t;

  (* ram_style = "block", no_rw_check *) logic [$bits(place_t)-1:0] place_mem[SESSIONS];
  (* ram_style = "block", no_rw_check *) logic [ID_W-1:0] queue_mem[SESSIONS];

  state_e state_q;
  op_e op_q;
  logic [ID_W-1:0] addr_q, front_q, wr_q, rd_q;
  logic [ID_W:0] count_q;
  place_t place_q, place;
  logic push, pop, write;

  assign idle = state_q == REST && !(count_q != '0 && !head_valid);

  always_comb begin
    place = place_q;
    push  = 1'b0;
    pop   = 1'b0;
    if (state_q == DONE) begin
      case (op_q)
        ASK: begin
          place = '{queued: 1'b1, asks: 1'b1};
          push  = !place_q.queued;
        end
        LEAVE: place.asks = 1'b0;
        default: begin
          pop = op_q == TAKE || !place_q.asks;
          if (pop) place = '0;
        end
      endcase
    end
    if (state_q == CLEAR) place = '0;
  end
  assign write = state_q == DONE || state_q == CLEAR;

  always_ff @(posedge clk) begin
    front_q <= queue_mem[rd_q];
    place_q <= place_t'(place_mem[addr_q]);
    if (write) place_mem[addr_q] <= place;
    if (push) queue_mem[wr_q] <= addr_q;
    if (push) wr_q <= wr_q + 1'b1;
    if (pop) rd_q <= rd_q + 1'b1;
    if (push) count_q <= count_q + 1'b1;
    if (pop) count_q <= count_q - 1'b1;
    if (write && place.asks && !place_q.asks) waiting <= waiting + 1'b1;
    if (state_q == DONE && !place.asks && place_q.asks) waiting <= waiting - 1'b1;
    case (state_q)
      CLEAR: begin
        addr_q <= addr_q + 1'b1;
        if (&addr_q) state_q <= REST;
      end
      REST: begin
        addr_q <= id;
        op_q   <= take ? TAKE : leave ? LEAVE : ASK;
        if (!idle) state_q <= FRONT;
        else if (ask || leave || take) state_q <= READ;
      end
      FRONT: state_q <= FRONT_ID;
      FRONT_ID: begin
        addr_q  <= front_q;
        op_q    <= CHECK;
        state_q <= READ;
      end
      READ:  state_q <= DONE;
      default: begin
        state_q <= REST;
        if (op_q == CHECK) begin
          head_valid <= place_q.asks;
          head <= addr_q;
        end
        if (op_q == TAKE || (op_q == LEAVE && head == addr_q)) head_valid <= 1'b0;
      end
    endcase
    if (rst) begin
      state_q <= CLEAR;
      addr_q <= '0;
      wr_q <= '0;
      rd_q <= '0;
      count_q <= '0;
      head_valid <= 1'b0;
      waiting <= '0;
    end
  end

  `KUMI_ASSUME(m_one, $onehot0({ask, leave, take}) && (!(ask || leave || take) || idle))
  `KUMI_ASSUME(m_take, !take || (head_valid && id == head))
endmodule
