// SPDX-License-Identifier: Apache-2.0
//
// A unit of kumi_array_engine: settings, and which devices are in which state.
//
// go: a pulse with cmd, DO_SET or DO_STATE; nothing else is under way. u: see kumi_array_engine_pkg.
//   done: a step is. stop: begin anew.
// set, set_*: a setting that others keep, a pulse. failed .. full: a bit a device.
// Refused: a setting that is none, of a device that is not there, of one that works and is at no
//   port; more stripes than there are bits for, a chunk or a stripe larger than what was built.
// Leaves to TO_REPLY; the value is a word of devices, or what the slots answered.
module kumi_array_config
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int PORTS       = 4,
    parameter int WIDTH       = 8,
    parameter int CHUNK_BYTES = 65536,
    parameter int STRIPES     = 65536
) (
    input logic clk,
    input logic rst,
    input logic go,
    input logic stop,
    input array_cmd_t cmd,
    input view_t v,
    input logic done,
    input logic [PORTS-1:0] failed,
    input logic [PORTS-1:0] usable,
    input logic [PORTS-1:0] readable,
    input logic [PORTS-1:0] full,
    output shape_t cfg,
    output logic set,
    output set_e set_what,
    output logic [7:0] set_unit,
    output logic [63:0] set_arg,
    output step_t step,
    output unit_t u
);
  typedef enum logic [2:0] {
    IDLE,
    LOOK,
    SET,
    TELL,
    STEP,
    STEPPED
  } state_e;
  state_e state_q;
  logic bad, bad_q;
  logic [127:0] devices;
  logic [ 63:0] word_q;

  always_comb begin
    case (cmd.unit)
      8'(SET_SHAPE):
      bad = cmd.arg[4:0] == '0 || cmd.arg[9:8] == 2'd3
          || 6'(cmd.arg[4:0]) + 6'(cmd.arg[9:8]) > 6'(WIDTH)
          || cmd.arg[28:24] < 5'd9 || cmd.arg[28:24] > 5'($clog2(CHUNK_BYTES));
      8'(SET_STRIPES): bad = cmd.index > STRIPES;
      8'(SET_DATA), 8'(SET_OWNER), 8'(SET_HALF), 8'(SET_ROOM): bad = cmd.index >= PORTS;
      8'(SET_STATE): bad = cmd.index >= PORTS || (cmd.arg[1:0] != '0 && cmd.arg[15:8] >= 8'(PORTS));
      default: bad = cmd.unit > 8'(SET_ERRORS);
    endcase
    case (state_set_e'(cmd.unit[2:1]))
      STATE_FAILED: devices = 128'(failed);
      STATE_USABLE: devices = 128'(usable);
      STATE_READABLE: devices = 128'(readable);
      default: devices = 128'(full);
    endcase
  end

  assign set = state_q == SET && !bad_q;
  assign set_what = set_e'(cmd.unit[4:0]);
  assign set_unit = cmd.index[7:0];
  assign set_arg = cmd.arg;

  always_comb begin
    u = '0;
    step = '0;
    case (state_q)
      SET: begin
        u.leave = bad_q || (set_what != SET_PLACER && set_what != SET_SLOT);
        u.hand  = reply(bad_q ? END_BAD : END_OK, '0, '0);
      end
      TELL: begin
        u.leave = 1'b1;
        u.hand  = cmd.unit >= 8'd8 ? reply(END_BAD, '0, '0) : reply(END_OK, '0, word_q);
      end
      STEP: begin
        step.op   = set_what == SET_PLACER ? STEP_EVENT : STEP_SLOT;
        step.note = place_event_t'(cmd.arg[43:0]);
        step.slot = slot_req_t'(cmd.arg[35:0]);
      end
      STEPPED: begin
        u.leave = 1'b1;
        u.hand  = reply(END_OK, '0, {39'd0, v.got.ok, v.got.slot});
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: if (go) state_q <= LOOK;
      LOOK: begin
        bad_q   <= bad;
        word_q  <= cmd.unit[0] ? devices[127:64] : devices[63:0];
        state_q <= cmd.op == DO_SET ? SET : TELL;
      end
      SET: state_q <= u.leave ? IDLE : STEP;
      TELL: state_q <= IDLE;
      STEP: if (done) state_q <= STEPPED;
      default: state_q <= IDLE;  // STEPPED
    endcase
    if (set) begin
      case (set_what)
        SET_SHAPE: begin
          cfg.k <= cmd.arg[4:0];
          cfg.p <= cmd.arg[9:8];
          cfg.width <= cmd.arg[4:0] + 5'(cmd.arg[9:8]);
          cfg.holders <= cmd.arg[17:16];
          cfg.chunk <= cmd.arg[28:24];
          cfg.log_room <= cmd.arg[36:32];
          cfg.stride <= cmd.arg[44:40];
        end
        SET_STRIPES: begin
          cfg.stripes  <= cmd.index;
          cfg.physical <= cmd.arg[31:0];
        end
        SET_MEMORY: {cfg.list, cfg.map} <= cmd.arg;
        SET_BUFFERS: {cfg.log, cfg.stage} <= cmd.arg;
        SET_LIMIT: cfg.limit <= cmd.index;
        SET_DYNAMIC: begin
          cfg.depth <= cmd.index[7:0];
          cfg.unit  <= cmd.arg[47:0];
        end
        SET_ERRORS: cfg.errors <= cmd.index;
        default: ;
      endcase
    end
    if (rst || stop) state_q <= IDLE;
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
