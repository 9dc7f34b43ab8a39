// SPDX-License-Identifier: Apache-2.0
//
// Configuration unit of kumi_array_engine: parameters, and the device state vectors.
//
// start: a pulse with cmd, CMD_SET or CMD_GET_STATE, while no other command is active. u:
//   kumi_array_engine_pkg. done: the step has ended. cancel: return to idle.
// set, set_*: a parameter stored elsewhere, a pulse. failed .. full: one bit per device.
// Bad input: STATUS_INVALID for an unknown parameter, area or device, a working device without a
// port, more stripes than the dirty bitmap holds, a chunk or stripe larger than the build supports.
// Leaves to TO_RESPOND with a word of device states or the response of the slot allocator.
module kumi_array_config
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS        = 4,
    parameter int WIDTH        = 8,
    parameter int CHUNK_BYTES  = 1 << 21,
    parameter int PARITY_BYTES = 65536,
    parameter int STRIPES      = 1 << 24
) (
    input logic clk,
    input logic rst,
    input logic start,
    input logic cancel,
    input array_cmd_t cmd,
    input unit_in_t v,
    input logic done,
    input logic [PORTS-1:0] failed,
    input logic [PORTS-1:0] usable,
    input logic [PORTS-1:0] readable,
    input logic [PORTS-1:0] full,
    output array_cfg_t cfg,
    output logic set,
    output array_param_e set_what,
    output logic [7:0] set_unit,
    output logic [63:0] set_arg,
    output array_step_t step,
    output unit_out_t u
);
  localparam logic [4:0] PIECE_LOG = 5'($clog2(PARITY_BYTES));

  typedef enum logic [2:0] {
    IDLE,
    CHECK,
    SET,
    RETURN,
    STEP,
    STEP_DONE
  } state_e;
  state_e state_q;
  logic bad, bad_q;
  logic [127:0] device_mask;
  logic [ 63:0] word_q;
  logic [  4:0] chunk;
  assign chunk = cmd.arg[28:24];

  always_comb begin
    case (cmd.unit)
      8'(PARAM_GEOMETRY):
      bad = cmd.arg[4:0] == '0 || cmd.arg[9:8] == 2'd3
          || 6'(cmd.arg[4:0]) + 6'(cmd.arg[9:8]) > 6'(WIDTH)
          || chunk < 5'd9 || chunk > 5'($clog2(CHUNK_BYTES));
      8'(PARAM_STRIPES): bad = cmd.index > STRIPES;
      8'(PARAM_AREA): bad = cmd.index > 32'(AREA_DIRTY) || cmd.arg >> MEM_ADDR_W != '0;
      8'(PARAM_DEV_DATA), 8'(PARAM_LOG_OWNER), 8'(PARAM_LOG_BASE), 8'(PARAM_LOG_SPACE):
      bad = cmd.index >= PORTS;
      8'(PARAM_DEV_STATE):
      bad = cmd.index >= PORTS || (cmd.arg[1:0] != '0 && cmd.arg[15:8] >= 8'(PORTS));
      default: bad = cmd.unit > 8'(PARAM_READ_ERRORS);
    endcase
    case (array_query_e'(cmd.unit[2:1]))
      QUERY_FAILED: device_mask = 128'(failed);
      QUERY_USABLE: device_mask = 128'(usable);
      QUERY_READABLE: device_mask = 128'(readable);
      default: device_mask = 128'(full);
    endcase
  end

  assign set = state_q == SET && !bad_q;
  assign set_what = array_param_e'(cmd.unit[4:0]);
  assign set_unit = cmd.index[7:0];
  assign set_arg = cmd.arg;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      SET: begin
        u.leave   = bad_q || (set_what != PARAM_PLACER_EVENT && set_what != PARAM_SLOT_OP);
        u.handoff = respond(bad_q ? STATUS_INVALID : STATUS_OK, '0, '0);
      end
      RETURN: begin
        u.leave = 1'b1;
        u.handoff = cmd.unit >= 8'd8 ? respond(STATUS_INVALID, '0, '0) :
            respond(STATUS_OK, '0, word_q);
      end
      STEP: begin
        step.op = set_what == PARAM_PLACER_EVENT ? STEP_EVENT : STEP_SLOT;
        step.place_ev = place_event_t'(cmd.arg[43:0]);
        step.slot = slot_req_t'(cmd.arg[35:0]);
      end
      STEP_DONE: begin
        u.leave   = 1'b1;
        u.handoff = respond(STATUS_OK, '0, {39'd0, v.slot_rsp.ok, v.slot_rsp.slot});
        if (set_what == PARAM_SLOT_OP && v.slot_rsp.bad) u.handoff.status = STATUS_MEM_ERROR;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: if (start) state_q <= CHECK;
      CHECK: begin
        bad_q   <= bad;
        word_q  <= cmd.unit[0] ? device_mask[127:64] : device_mask[63:0];
        state_q <= cmd.op == CMD_SET ? SET : RETURN;
      end
      SET: state_q <= u.leave ? IDLE : STEP;
      RETURN: state_q <= IDLE;
      STEP: if (done) state_q <= STEP_DONE;
      default: state_q <= IDLE;  // STEP_DONE
    endcase
    if (set) begin
      case (set_what)
        PARAM_GEOMETRY: begin
          cfg.k <= cmd.arg[4:0];
          cfg.p <= cmd.arg[9:8];
          cfg.width <= cmd.arg[4:0] + 5'(cmd.arg[9:8]);
          cfg.holders <= cmd.arg[17:16];
          cfg.chunk <= chunk;
          cfg.piece <= chunk > PIECE_LOG ? PIECE_LOG : chunk;
          cfg.last_piece <= '0;
          if (chunk > PIECE_LOG)
            cfg.last_piece <= (chunk_piece_t'(1) << (chunk - PIECE_LOG)) - 1'b1;
          cfg.log_room <= cmd.arg[36:32];
          cfg.stride   <= cmd.arg[44:40];
        end
        PARAM_STRIPES: begin
          cfg.stripes  <= cmd.index;
          cfg.physical <= cmd.arg[31:0];
        end
        PARAM_AREA:
        case (array_area_e'(cmd.index[2:0]))
          AREA_MAP:   cfg.map <= mem_addr_t'(cmd.arg);
          AREA_LIST:  cfg.list <= mem_addr_t'(cmd.arg);
          AREA_STAGE: cfg.stage <= mem_addr_t'(cmd.arg);
          AREA_LOG:   cfg.log <= mem_addr_t'(cmd.arg);
          AREA_SLOTS: cfg.slots <= mem_addr_t'(cmd.arg);
          default:    cfg.dirty <= mem_addr_t'(cmd.arg);
        endcase
        PARAM_DIRTY_LIMIT: cfg.limit <= cmd.index;
        PARAM_DYNAMIC: begin
          cfg.depth <= cmd.index[7:0];
          cfg.unit  <= cmd.arg[47:0];
        end
        PARAM_READ_ERRORS: cfg.errors <= cmd.index;
        default: ;
      endcase
    end
    if (rst || cancel) state_q <= IDLE;
    if (rst) begin
      cfg <= '0;
      cfg.k <= 5'd1;
      cfg.width <= 5'd1;
      cfg.chunk <= 5'd12;
    end
  end

  logic unused;
  assign unused = ^{cmd, v};
endmodule
