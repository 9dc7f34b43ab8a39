// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: a chunk is read, of copies the one whose device has least to do, and
// given to the host if its checksum is right.
//
// go: a pulse with `hand`: TO_READ (the entry of the map is there), TO_HOST (the request has
//   ended). j, step, u: see kumi_array_engine_pkg. done: a step is. stop: begin anew.
// look_open: requests under way at the device of the entry's position j, a cycle later.
// Leaves to TO_IDLE (the request is under way), TO_GATHER (another way is needed), TO_REPLY.
module kumi_array_read
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
#(
    parameter int PORTS = 4
) (
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input hand_t hand,
    input shape_t cfg,
    input view_t v,
    input logic done,
    input logic [PORTS-1:0] readable,
    input logic [4:0] look_open,
    output logic [4:0] j,
    output step_t step,
    output unit_t u
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  typedef enum logic [3:0] {
    IDLE,
    COPY,
    CHOOSE,
    ASK,
    GO,
    SEND,
    HOST,
    GIVE,
    GIVEN
  } state_e;
  state_e state_q;
  logic [4:0] j_q, best_q, best_open_q;
  logic old_works, here_works, last_j;

  function automatic logic works(input logic [7:0] device);
    return device < 8'(PORTS) && readable[UNIT_W'(device)];
  endfunction
  assign old_works = works(v.old[63:56]);
  assign here_works = works(v.here[63:56]);
  assign last_j = j_q + 5'd1 == cfg.width;
  assign j = j_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      COPY: begin
        u.leave = !v.mapped;
        u.hand = reply(END_ZERO, '0, '0);
        u.place_we = v.mapped;
        u.place = v.old;
      end
      ASK: begin
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.position = best_q;
      end
      GO: begin
        u.clear = 1'b1;
        u.leave = !here_works;
        u.hand  = hand_to(TO_GATHER);
      end
      SEND: begin
        step.op = STEP_IO;
        step.unit = v.here[63:56];
        step.io = io_of(cfg.chunk, v.c, v.here[55:32], v.addr, IO_READ, j_q);
        u.leave = done;
        u.hand = hand_to(TO_IDLE);
      end
      HOST: begin
        u.leave = v.errors != '0;
        u.hand  = hand_to(TO_GATHER);
        if (!u.leave) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.frames = v.ctx.frames + 1'b1;
        end
      end
      GIVE: begin
        step.op = STEP_MOVE;
        step.move = move_of(cfg.chunk, v.here[31:0], v.addr, FROM_MEMORY);
        step.move.to_host = 1'b1;
      end
      GIVEN: begin
        u.leave = 1'b1;
        u.hand  = reply(END_OK, '0, '0);
        if (v.moved.bad || v.moved.differs) begin  // a chunk on a device that works is bad
          u.hand = hand_to(TO_GATHER);
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.verify = 1'b1;
        end
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        best_q <= v.ctx.position;
        best_open_q <= '1;
        j_q <= hand.to == TO_HOST ? v.ctx.position : '0;
        if (go) state_q <= hand.to == TO_HOST ? HOST : COPY;
      end
      COPY: state_q <= v.mapped ? CHOOSE : IDLE;
      CHOOSE: begin
        if (cfg.k == 5'd1 && old_works && look_open < best_open_q) begin
          best_q <= j_q;
          best_open_q <= look_open;
        end
        j_q <= j_q + 1'b1;
        state_q <= last_j ? ASK : COPY;
      end
      ASK: begin
        j_q <= best_q;
        state_q <= GO;
      end
      GO: state_q <= here_works ? SEND : IDLE;
      SEND: if (done) state_q <= IDLE;
      HOST: state_q <= u.leave ? IDLE : GIVE;
      GIVE: if (done) state_q <= GIVEN;
      default: state_q <= IDLE;  // GIVEN
    endcase
    if (rst || stop) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, hand};
endmodule
