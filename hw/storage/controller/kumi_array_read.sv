// SPDX-License-Identifier: Apache-2.0
//
// Read unit of kumi_array_engine: reads one chunk and returns it to the host if its checksum
// matches. Of mirrored copies it picks the device with the fewest outstanding requests.
//
// start: a pulse with handoff: TO_READ (the map entry is loaded), TO_RETURN (the read has
//   completed). j, step, u: kumi_array_engine_pkg. done: the step has ended. cancel: return to
//   idle.
// query_depth: requests outstanding at the device of position j, one cycle later.
// Leaves to TO_IDLE (read issued), TO_RECONSTRUCT (unreadable or wrong checksum), TO_RESPOND.
module kumi_array_read
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
#(
    parameter int PORTS = 4
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic cancel,
    input handoff_t handoff,
    input array_cfg_t cfg,
    input unit_in_t v,
    input logic done,
    input logic [PORTS-1:0] readable,
    input logic [4:0] query_depth,
    output logic [4:0] j,
    output array_step_t step,
    output unit_out_t u
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  typedef enum logic [3:0] {
    IDLE,
    COPY,
    COMPARE,
    SELECT,
    DISPATCH,
    ISSUE,
    LOADED,
    RETURN,
    RETURNED
  } state_e;
  state_e state_q;
  logic [4:0] j_q, best_q, best_open_q;
  logic old_alive, cur_alive, last_j;

  function automatic logic is_alive(input logic [7:0] device);
    return device < 8'(PORTS) && readable[UNIT_W'(device)];
  endfunction
  assign old_alive = is_alive(v.old[63:56]);
  assign cur_alive = is_alive(v.here[63:56]);
  assign last_j = j_q + 5'd1 == cfg.width;
  assign j = j_q;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      COPY: begin
        u.leave = !v.is_mapped;
        u.handoff = respond(STATUS_UNMAPPED, '0, '0);
        u.place_we = v.is_mapped;
        u.place = v.old;
      end
      SELECT: begin
        u.context_we = 1'b1;
        u.ctx = v.ctx;
        u.ctx.position = best_q;
      end
      DISPATCH: begin
        u.clear   = 1'b1;
        u.leave   = !cur_alive;
        u.handoff = handoff_to(TO_RECONSTRUCT);
      end
      ISSUE: begin
        step.op   = STEP_IO;
        step.unit = v.here[63:56];
        step.io   = disk_req(cfg.chunk, v.c, v.here[55:32], v.addr, DISK_READ, j_q);
        u.leave   = done;
        u.handoff = handoff_to(TO_IDLE);
      end
      LOADED: begin
        u.leave   = v.errors != '0;
        u.handoff = handoff_to(TO_RECONSTRUCT);
        if (!u.leave) begin
          u.context_we = 1'b1;
          u.ctx = v.ctx;
          u.ctx.frames = v.ctx.frames + 1'b1;
        end
      end
      RETURN: begin
        step.op = STEP_MOVE;
        step.move = chunk_move(cfg.chunk, v.here[31:0], v.addr, MOVE_FROM_MEMORY);
        step.move.to_host = 1'b1;
      end
      RETURNED: begin
        u.leave   = 1'b1;
        u.handoff = respond(STATUS_OK, '0, '0);
        if (v.moved.bad || v.moved.differs) begin  // bad chunk on a working device
          u.handoff = handoff_to(TO_RECONSTRUCT);
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
        j_q <= handoff.to == TO_RETURN ? v.ctx.position : '0;
        if (start) state_q <= handoff.to == TO_RETURN ? LOADED : COPY;
      end
      COPY: state_q <= v.is_mapped ? COMPARE : IDLE;
      COMPARE: begin
        if (cfg.k == 5'd1 && old_alive && query_depth < best_open_q) begin
          best_q <= j_q;
          best_open_q <= query_depth;
        end
        j_q <= j_q + 1'b1;
        state_q <= last_j ? SELECT : COPY;
      end
      SELECT: begin
        j_q <= best_q;
        state_q <= DISPATCH;
      end
      DISPATCH: state_q <= cur_alive ? ISSUE : IDLE;
      ISSUE: if (done) state_q <= IDLE;
      LOADED: state_q <= u.leave ? IDLE : RETURN;
      RETURN: if (done) state_q <= RETURNED;
      default: state_q <= IDLE;  // RETURNED
    endcase
    if (rst || cancel) state_q <= IDLE;
  end

  logic unused;
  assign unused = ^{v, cfg, handoff};
endmodule
