// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: what the host asks of one port, or of memory, and the speed test.
//
// go: a pulse with cmd, DO_RAW_*, DO_MEM_* or DO_MEASURE; nothing else is under way. u: see
//   kumi_array_engine_pkg. done: a step is. stop: begin anew.
// end_valid, end_reason: ends of requests. idle_any, idle_c: a context without one; waits: some are
//   under way.
// Data of a raw command wait in the room for chunks, those of a speed test come from and go to the
//   room of each context. A command is refused (END_BAD, its frame is thrown away) that has no such
//   port, no sectors or more than fit there or into a request, or sectors from 2^48 on; of memory,
//   one that ends behind 2^32 or has more than 2^17 - 1 sectors. A speed test ends as soon as a
//   request fails.
// Leaves to TO_REPLY, TO_DROP.
module kumi_array_passthrough
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
#(
    parameter int PORTS    = 4,
    parameter int WIDTH    = 8,
    parameter int CONTEXTS = 8
) (
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input array_cmd_t cmd,
    input shape_t cfg,
    input view_t v,
    input logic done,
    input logic end_valid,
    input logic [3:0] end_reason,
    input logic idle_any,
    input logic [3:0] idle_c,
    input logic waits,
    output step_t step,
    output unit_t u
);
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);
  localparam int CONTEXT_W = $clog2(CONTEXTS);
  localparam int AT_ONCE = 65536;  // sectors of a request of a port

  typedef enum logic [3:0] {
    IDLE,
    LOOK,
    CHECK,
    FRAME,
    FRAMED,
    SEND,
    WAIT,
    GIVE,
    GIVEN,
    NEXT,
    MEASURE,
    DRAIN
  } state_e;
  state_e state_q;
  logic memory, flush, write, measure;
  assign memory  = cmd.op == DO_MEM_READ || cmd.op == DO_MEM_WRITE;
  assign flush   = cmd.op == DO_RAW_FLUSH;
  assign measure = cmd.op == DO_MEASURE;
  assign write   = cmd.op == DO_RAW_WRITE || cmd.op == DO_MEM_WRITE;

  // ---- is it possible? in two steps: sums, then the verdict -----------------------------------
  logic [31:0] sectors;
  logic [16:0] room_q;  // sectors that have room: of a context (measure), of all
  logic [48:0] after_q;  // behind the last sector, or byte of memory
  logic many_q, bad;
  logic [6:0] room_log;
  assign sectors  = measure ? cmd.index : cmd.count;
  assign room_log = 7'(cfg.chunk) + 7'(POSITION_W) + (measure ? 7'd0 : 7'(CONTEXT_W)) - 7'd9;
  always_comb begin
    bad = many_q || sectors[16:0] == '0;
    if (memory)
      bad = bad || after_q[48:32] > 17'd1 || (after_q[32] && after_q[31:0] != '0)
        || cmd.arg[63:32] != '0;
    else
      bad = bad || sectors[16:0] > room_q || after_q[48] && after_q[47:0] != '0
        || cmd.arg[62:48] != '0 || (cmd.arg[63] && !measure) || cmd.unit >= 8'(PORTS);
    if (measure) bad = bad || cmd.count == '0;
    if (flush) bad = cmd.unit >= 8'(PORTS);
  end

  logic [31:0] left_q;  // commands of a speed test
  logic [48:0] lba_q;
  logic [63:0] cycles_q;
  logic [3:0] c_q, reason_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      CHECK: begin
        u.leave = bad;
        u.hand  = reply(END_BAD, '0, '0);
        if (write) u.hand.to = TO_DROP;
      end
      FRAME, GIVE: begin
        step.op = STEP_MOVE;
        step.move.from = state_q == FRAME ? FROM_HOST : FROM_MEMORY;
        step.move.to_memory = state_q == FRAME;
        step.move.to_host = state_q == GIVE;
        step.move.last = 1'b1;
        step.move.addr = memory ? cmd.arg[31:0] : cfg.stage;
        step.move.bytes = {cmd.count[16:0], 9'd0};
        if (state_q == GIVE && done) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.frames = 2'd1;
        end
      end
      FRAMED: begin
        u.leave = memory || v.moved.bad;
        u.hand  = reply(v.moved.bad ? END_SOURCE : END_OK, '0, '0);
      end
      SEND: begin
        step.op = STEP_IO;
        step.unit = cmd.unit;
        step.io = '{
            position: '0,
            context_: v.c,
            op: flush ? IO_FLUSH : write ? IO_WRITE : IO_READ,
            sectors: flush ? '0 : cmd.count[16:0],
            lba: cmd.arg[47:0],
            addr: cfg.stage
        };
      end
      WAIT: begin
        u.leave = !v.waits && (reason_q != '0 || cmd.op != DO_RAW_READ);
        u.hand  = reply(reason_q == '0 ? END_OK : END_FAILED, 32'(reason_q), '0);
      end
      GIVEN: begin
        u.leave = 1'b1;
        u.hand  = reply(v.moved.bad ? END_MEMORY : END_OK, '0, '0);
      end
      MEASURE: begin
        step.op = STEP_IO;
        step.unit = cmd.unit;
        step.io = '{
            position: '0,
            context_: c_q,
            op: cmd.arg[63] ? IO_WRITE : IO_READ,
            sectors: cmd.index[16:0],
            lba: lba_q[47:0],
            addr: cfg.stage + (32'({c_q, POSITION_W'(0)}) << cfg.chunk)
        };
      end
      DRAIN: begin
        u.leave = !waits;
        u.hand  = reply(reason_q == '0 ? END_OK : END_FAILED, 32'(reason_q), cycles_q);
        // The disk would say so of any sector but one that does not fit a request.
        if (reason_q == '0 && left_q != '0) u.hand = reply(END_BAD, '0, '0);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    cycles_q <= cycles_q + 1'b1;
    case (state_q)
      IDLE: if (go) state_q <= LOOK;
      LOOK: begin
        room_q <= room_log > 7'd16 ? 17'(AT_ONCE) : 17'd1 << room_log[4:0];
        after_q <= memory ? 49'(cmd.arg[31:0]) + 49'({cmd.count[16:0], 9'd0})
            : 49'(cmd.arg[47:0]) + 49'(sectors[16:0]);
        many_q <= sectors[31:17] != '0;
        left_q <= cmd.count;
        lba_q <= 49'(cmd.arg[47:0]);
        cycles_q <= '0;
        state_q <= CHECK;
      end
      CHECK: begin
        if (bad) state_q <= IDLE;
        else if (measure) state_q <= NEXT;
        else if (cmd.op == DO_MEM_READ) state_q <= GIVE;
        else state_q <= write ? FRAME : SEND;
      end
      FRAME: if (done) state_q <= FRAMED;
      FRAMED: state_q <= u.leave ? IDLE : SEND;
      SEND: if (done) state_q <= WAIT;
      WAIT: if (!v.waits) state_q <= u.leave ? IDLE : GIVE;
      GIVE: if (done) state_q <= GIVEN;
      GIVEN: state_q <= IDLE;
      NEXT: begin
        c_q <= idle_c;
        if (left_q == '0 || reason_q != '0 || lba_q + 49'(cmd.index[16:0]) > 49'd1 << 48)
          state_q <= DRAIN;
        else if (idle_any) state_q <= MEASURE;
      end
      MEASURE:
      if (done) begin
        left_q  <= left_q - 1'b1;
        lba_q   <= lba_q + 49'(cmd.index[16:0]);
        state_q <= NEXT;
      end
      default: if (!waits) state_q <= IDLE;  // DRAIN
    endcase
    if (state_q == IDLE) reason_q <= '0;
    else if (end_valid && end_reason != '0) reason_q <= end_reason;
    if (rst || stop) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, cmd};
endmodule
