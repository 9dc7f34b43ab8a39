// SPDX-License-Identifier: Apache-2.0
//
// Pass-through unit of kumi_array_engine: host access to a single port or to memory, and the speed
// test.
//
// start: a pulse with cmd, CMD_RAW_*, CMD_MEM_* or CMD_SPEED_TEST, while no other command is
//   active. u: kumi_array_engine_pkg. done: the step has ended. cancel: return to idle.
// cpl_valid, cpl_status: completions. idle_any, idle_c: a context without I/O; io_pending: any I/O
//   is outstanding.
// Raw data is buffered in the chunk buffers of all contexts, speed-test data in those of one
// context.
// Bad input: STATUS_INVALID, with the frame discarded, for an unknown port, zero sectors, more
// sectors than the buffers or a request hold, or sectors from 2^48 on; for memory, an end past 2^40
// or more than 2^17 - 1 sectors. A speed test stops at the first failing request.
// Leaves to TO_RESPOND or TO_DROP.
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
    input logic start,
    input logic cancel,
    input array_cmd_t cmd,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic done,
    input logic cpl_valid,
    input logic [3:0] cpl_status,
    input logic idle_any,
    input logic [3:0] idle_c,
    input logic io_pending,
    output array_step_t step,
    output unit_out_t u
);
  localparam int POSITION_W = WIDTH == 1 ? 1 : $clog2(WIDTH);
  localparam int CONTEXT_W = $clog2(CONTEXTS);
  localparam int MAX_SECTORS = 65536;  // sectors per port request

  typedef enum logic [3:0] {
    IDLE,
    LOOK,
    CHECK,
    FRAME,
    FRAME_DONE,
    SEND,
    WAIT,
    RETURN,
    RETURNED,
    NEXT,
    SPEED_TEST,
    DRAIN
  } state_e;
  state_e state_q;
  logic memory, flush, write, speed_test;
  assign memory = cmd.op == CMD_MEM_READ || cmd.op == CMD_MEM_WRITE;
  assign flush = cmd.op == CMD_RAW_FLUSH;
  assign speed_test = cmd.op == CMD_SPEED_TEST;
  assign write = cmd.op == CMD_RAW_WRITE || cmd.op == CMD_MEM_WRITE;

  // ---- is it possible? in two steps: sums, then the verdict -----------------------------------
  logic [31:0] sectors;
  logic [16:0] capacity_q;  // buffer capacity in sectors, of one context (speed test) or all
  logic [48:0] end_q;  // end sector, or end address in memory
  logic too_many_q, bad;
  logic [6:0] capacity_log;
  assign sectors = speed_test ? cmd.index : cmd.count;
  assign capacity_log = 7'(cfg.chunk) + 7'(POSITION_W) + (speed_test ? 7'd0 : 7'(CONTEXT_W)) - 7'd9;
  always_comb begin
    bad = too_many_q || sectors[16:0] == '0;
    if (memory)
      bad = bad || end_q[48:MEM_ADDR_W+1] != '0
        || (end_q[MEM_ADDR_W] && end_q[MEM_ADDR_W-1:0] != '0) || cmd.arg[63:MEM_ADDR_W] != '0;
    else
      bad = bad || sectors[16:0] > capacity_q || end_q[48] && end_q[47:0] != '0
        || cmd.arg[62:48] != '0 || (cmd.arg[63] && !speed_test) || cmd.unit >= 8'(PORTS);
    if (speed_test) bad = bad || cmd.count == '0;
    if (flush) bad = cmd.unit >= 8'(PORTS);
  end

  logic [31:0] left_q;  // commands of a speed test
  logic [48:0] lba_q;
  logic [63:0] cycles_q;
  logic [3:0] c_q, status_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      CHECK: begin
        u.leave   = bad;
        u.handoff = respond(STATUS_INVALID, '0, '0);
        if (write) u.handoff.to = TO_DROP;
      end
      FRAME, RETURN: begin
        step.op = STEP_MOVE;
        step.move.from = state_q == FRAME ? MOVE_FROM_HOST : MOVE_FROM_MEMORY;
        step.move.to_memory = state_q == FRAME;
        step.move.to_host = state_q == RETURN;
        step.move.last = 1'b1;
        step.move.addr = memory ? cmd.arg[MEM_ADDR_W-1:0] : cfg.stage;
        step.move.bytes = {cmd.count[16:0], 9'd0};
        if (state_q == RETURN && done) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.frames = 2'd1;
        end
      end
      FRAME_DONE: begin
        u.leave   = memory || v.moved.bad;
        u.handoff = respond(v.moved.bad ? STATUS_BAD_FRAME : STATUS_OK, '0, '0);
      end
      SEND: begin
        step.op = STEP_IO;
        step.unit = cmd.unit;
        step.io = '{
            position: '0,
            context_: v.c,
            op: flush ? DISK_FLUSH : write ? DISK_WRITE : DISK_READ,
            sectors: flush ? '0 : cmd.count[16:0],
            lba: cmd.arg[47:0],
            addr: cfg.stage
        };
      end
      WAIT: begin
        u.leave   = !v.io_pending && (status_q != '0 || cmd.op != CMD_RAW_READ);
        u.handoff = respond(status_q == '0 ? STATUS_OK : STATUS_IO_ERROR, 32'(status_q), '0);
      end
      RETURNED: begin
        u.leave   = 1'b1;
        u.handoff = respond(v.moved.bad ? STATUS_MEM_ERROR : STATUS_OK, '0, '0);
      end
      SPEED_TEST: begin
        step.op = STEP_IO;
        step.unit = cmd.unit;
        step.io = '{
            position: '0,
            context_: c_q,
            op: cmd.arg[63] ? DISK_WRITE : DISK_READ,
            sectors: cmd.index[16:0],
            lba: lba_q[47:0],
            addr: cfg.stage + (mem_addr_t'({c_q, POSITION_W'(0)}) << cfg.chunk)
        };
      end
      DRAIN: begin
        u.leave   = !io_pending;
        u.handoff = respond(status_q == '0 ? STATUS_OK : STATUS_IO_ERROR, 32'(status_q), cycles_q);
        // Other invalid sectors are reported by the disk.
        if (status_q == '0 && left_q != '0) u.handoff = respond(STATUS_INVALID, '0, '0);
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    cycles_q <= cycles_q + 1'b1;
    case (state_q)
      IDLE: if (start) state_q <= LOOK;
      LOOK: begin
        capacity_q <= capacity_log > 7'd16 ? 17'(MAX_SECTORS) : 17'd1 << capacity_log[4:0];
        end_q <= memory ? 49'(cmd.arg[MEM_ADDR_W-1:0]) + 49'({cmd.count[16:0], 9'd0})
            : 49'(cmd.arg[47:0]) + 49'(sectors[16:0]);
        too_many_q <= sectors[31:17] != '0;
        left_q <= cmd.count;
        lba_q <= 49'(cmd.arg[47:0]);
        cycles_q <= '0;
        state_q <= CHECK;
      end
      CHECK: begin
        if (bad) state_q <= IDLE;
        else if (speed_test) state_q <= NEXT;
        else if (cmd.op == CMD_MEM_READ) state_q <= RETURN;
        else state_q <= write ? FRAME : SEND;
      end
      FRAME: if (done) state_q <= FRAME_DONE;
      FRAME_DONE: state_q <= u.leave ? IDLE : SEND;
      SEND: if (done) state_q <= WAIT;
      WAIT: if (!v.io_pending) state_q <= u.leave ? IDLE : RETURN;
      RETURN: if (done) state_q <= RETURNED;
      RETURNED: state_q <= IDLE;
      NEXT: begin
        c_q <= idle_c;
        if (left_q == '0 || status_q != '0 || lba_q + 49'(cmd.index[16:0]) > 49'd1 << 48)
          state_q <= DRAIN;
        else if (idle_any) state_q <= SPEED_TEST;
      end
      SPEED_TEST:
      if (done) begin
        left_q  <= left_q - 1'b1;
        lba_q   <= lba_q + 49'(cmd.index[16:0]);
        state_q <= NEXT;
      end
      default: if (!io_pending) state_q <= IDLE;  // DRAIN
    endcase
    if (state_q == IDLE) status_q <= '0;
    else if (cpl_valid && cpl_status != '0) status_q <= cpl_status;
    if (rst || cancel) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, cmd};
endmodule
