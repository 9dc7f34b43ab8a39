// SPDX-License-Identifier: Apache-2.0
//
// The course of commands in kumi_array_engine: what is next, which unit goes on with it, the answer.
//
// Devices that are gone come first, then contexts whose requests have ended, then those that wait
//   for a queue with room (each time that a request has ended), then a new command.
// s_cmd, m_rsp: array_cmd_t, array_rsp_t. free_*, ready_*, placing_*, same: of the contexts, see
//   kumi_array_context_table; take: `fresh` begins in free_c; replied: context c ends.
// go: a pulse to the unit that goes on, with hand; leave, hand_in: it is through. u: own steps.
//   bad: memory refused a word; the command is answered so.
// gone_*: devices that were given up. pending: versions that wait for a commit. frames: sent to the
//   host until now.
// raw: requests name ports, and say nothing about devices. committing: a commit is under way;
//   beside it only reads begin.
module kumi_array_dispatch
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    input shape_t cfg,
    input view_t v,
    input logic leave,
    input hand_t hand_in,
    input logic done,
    input logic bad,
    input logic free_any,
    input logic free_all,
    input logic [3:0] free_c,
    input logic same,
    input logic ready_any,
    input logic [3:0] ready_c,
    input kind_e ready_kind,
    input logic placing_any,
    input logic [3:0] placing_c,
    input logic gone_valid,
    input logic [7:0] gone_device,
    output logic gone_take,
    input logic [31:0] pending,
    input logic [15:0] failures,
    input logic [7:0] frames,
    input logic end_valid,
    output logic take,
    output context_t fresh,
    output logic [31:0] logical,
    output logic replied,
    output logic [3:0] c,
    output array_cmd_t cmd,
    output hand_t hand,
    output logic [7:0] go,
    output step_t step,
    output unit_t u,
    output logic raw,
    input logic committing,
    output logic busy
);
  typedef enum logic [2:0] {
    IDLE,
    DECODE,
    LOAD,
    TELL,    // the placer: a device is gone
    GO,
    RUN,
    REPLY
  } state_e;
  state_e state_q;
  which_e unit_q;
  logic kick_q, raw_q, for_stripe, raw_op;
  logic [7:0] gone_q;
  logic [3:0] c_q;
  hand_t hand_q;
  array_cmd_t ask, cmd_q;

  assign ask = s_cmd.data;
  assign logical = ask.index;
  assign c = c_q;
  assign cmd = cmd_q;
  assign hand = hand_q;
  assign raw = raw_q;
  assign for_stripe = ask.op == DO_WRITE || ask.op == DO_READ || ask.op == DO_UNMAP
      || ask.op == DO_HEAL;
  assign take = s_cmd.valid && s_cmd.ready;
  assign s_cmd.ready = state_q == IDLE && !ready_any && !gone_valid && !placing_any
      && (for_stripe ? free_any && !same && (ask.op == DO_READ || !committing) : free_all);
  assign gone_take = state_q == IDLE && gone_valid;
  assign busy = state_q != IDLE || !free_all;
  assign raw_op = cmd_q.op >= DO_RAW_READ && cmd_q.op <= DO_MEASURE;
  assign replied = state_q == REPLY && m_rsp.ready;
  assign m_rsp.valid = state_q == REPLY;
  assign m_rsp.data = array_rsp_t'{
          failures: failures,
          tag: v.ctx.tag,
          frames: v.ctx.frames,
          zero: '0,
          reason: hand_q.reason,
          sent: frames,
          detail: hand_q.detail,
          value: hand_q.value
      };

  always_comb begin
    fresh = '0;
    fresh.state = BUSY;
    fresh.tag = ask.tag;
    fresh.logical = ask.index;
    fresh.position = ask.unit[4:0];
    fresh.verify = ask.arg[0];
    case (ask.op)
      DO_WRITE:  fresh.kind = K_WRITE;
      DO_READ:   fresh.kind = K_READ;
      DO_HEAL:   fresh.kind = K_SCAN;
      DO_COMMIT: fresh.kind = K_COMMIT;
      default:   fresh.kind = K_RAW;
    endcase
  end

  always_comb begin
    u = '0;
    step = '0;
    if (state_q == LOAD) begin
      step.op = STEP_LOAD;
      step.addr = entry_of(cfg.map, cfg.stride, v.ctx.logical);
      step.n = 6'(cfg.width) + 6'd3;
    end
    if (state_q == TELL) begin
      step.op   = STEP_EVENT;
      step.note = '{op: PL_USABLE, device: gone_q, value: '0};
    end
    go = '0;
    go[unit_q] = state_q == GO;
  end

  // Which unit goes on.
  function automatic which_e unit_of(input to_e to);
    case (to)
      TO_WROTE, TO_HEALED, TO_BACK, TO_OLD: return U_ENTER;
      TO_READ, TO_HOST: return U_READ;
      TO_GATHER, TO_VERIFY: return U_GATHER;
      TO_HEAL, TO_MOVE: return U_HEAL;
      default: return U_WRITE;
    endcase
  endfunction

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        raw_q <= 1'b0;
        if (gone_valid) begin
          gone_q  <= gone_device;
          state_q <= TELL;
        end else if (ready_any) begin
          c_q <= ready_c;
          state_q <= GO;
          case (ready_kind)
            K_WRITE:  hand_q <= hand_to(TO_WROTE);
            K_READ:   hand_q <= hand_to(TO_HOST);
            K_HEAL:   hand_q <= hand_to(TO_HEALED);
            K_COMMIT: hand_q <= hand_to(TO_RELEASE);
            default:  hand_q <= hand_to(TO_VERIFY);
          endcase
          case (ready_kind)
            K_WRITE, K_HEAL: unit_q <= U_ENTER;
            K_READ: unit_q <= U_READ;
            K_COMMIT: unit_q <= U_RELEASE;
            default: unit_q <= U_GATHER;
          endcase
        end else if (placing_any) begin
          c_q <= placing_c;
          hand_q <= hand_to(TO_PLACE);
          unit_q <= U_WRITE;
          if (kick_q) state_q <= GO;
          kick_q <= 1'b0;
        end else if (take) begin
          cmd_q   <= ask;
          c_q     <= free_c;
          state_q <= DECODE;
        end
      end
      DECODE: begin
        raw_q   <= raw_op;
        hand_q  <= reply(END_BAD, '0, '0);
        unit_q  <= U_WRITE;
        state_q <= REPLY;
        case (cmd_q.op)
          DO_WRITE: begin
            hand_q.to <= TO_WRITE;
            state_q   <= GO;
            if (cmd_q.index >= cfg.stripes) hand_q.to <= TO_DROP;
            else if (pending >= cfg.limit) begin
              hand_q.reason <= END_NO_ROOM;
              hand_q.to <= TO_DROP;
            end
          end
          DO_READ: if (cmd_q.index < cfg.stripes && cmd_q.unit < 8'(cfg.k)) state_q <= LOAD;
          DO_UNMAP, DO_HEAL:
          if (cmd_q.index < cfg.stripes) begin
            if (pending >= cfg.limit) hand_q.reason <= END_NO_ROOM;
            else state_q <= LOAD;
          end
          DO_COMMIT, DO_RELEASE: begin
            hand_q.to <= cmd_q.op == DO_COMMIT ? TO_COMMIT : TO_RELEASE;
            unit_q <= U_RELEASE;
            state_q <= GO;
          end
          DO_SET, DO_STATE: begin
            unit_q  <= U_SETTINGS;
            state_q <= GO;
          end
          default:
          if (raw_op) begin
            unit_q  <= U_RAW;
            state_q <= GO;
          end
        endcase
      end
      LOAD:
      if (done) begin
        state_q <= GO;
        case (cmd_q.op)
          DO_READ: begin
            hand_q <= hand_to(TO_READ);
            unit_q <= U_READ;
          end
          DO_HEAL: begin
            hand_q <= hand_to(TO_HEAL);
            unit_q <= U_HEAL;
          end
          default: begin  // UNMAP
            hand_q  <= v.mapped ? hand_to(TO_OLD) : reply(END_OK, '0, '0);
            unit_q  <= U_ENTER;
            state_q <= v.mapped ? GO : REPLY;
          end
        endcase
      end
      TELL: if (done) state_q <= IDLE;
      GO: state_q <= RUN;
      RUN:
      if (leave) begin
        hand_q  <= hand_in;
        unit_q  <= unit_of(hand_in.to);
        state_q <= hand_in.to == TO_IDLE ? IDLE : hand_in.to == TO_REPLY ? REPLY : GO;
      end
      default: if (m_rsp.ready) state_q <= IDLE;  // REPLY
    endcase
    if (bad) begin
      hand_q  <= reply(END_MEMORY, '0, '0);
      state_q <= REPLY;
    end
    if (end_valid) kick_q <= 1'b1;
    if (rst) begin
      state_q <= IDLE;
      kick_q  <= 1'b0;
      raw_q   <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{cmd_q, v, ask, cfg};
endmodule
